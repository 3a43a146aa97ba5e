/** Commands about people: the operator has the database, and invites the first of each company. */
import { isEmail } from "../http/fields.ts";
import { invitePerson, peopleList, removeByEmail } from "../people/commands.ts";
import { type Commands, type Given, UsageError } from "./command.ts";
import { withService } from "./database.ts";

export const PEOPLE_COMMANDS: Commands = {
  "people invite": {
    usage: "people invite (--tenant ID [--role ROLE] | --operator) --email ADDRESS --name NAME",
    does: "invites a person, or creates a new link for an existing one, and prints the link; the default role is owner",
    run: invitePeople,
  },
  "people list": {
    usage: "people list (--tenant ID | --operator)",
    does: "lists the people of a tenant, or the operators: address, role, state, name",
    run: (given) => withService((deps) => peopleList(deps, companyIn(given))),
  },
  "people remove": {
    usage: "people remove (--tenant ID | --operator) --email ADDRESS",
    does: "removes a person and signs them out everywhere",
    run: (given) =>
      withService((deps) => removeByEmail(deps, { company: companyIn(given), email: emailIn(given) })),
  },
};

function invitePeople(given: Given): Promise<string> {
  const { name, role = "owner" } = given.options;
  if (name === undefined) throw new UsageError("Give the name with --name.");
  const whom = { company: companyIn(given), email: emailIn(given) };
  return withService((deps) => invitePerson(deps, whom, { name, role }));
}

/** The id of the tenant; null for operators, who have to be meant. */
function companyIn({ options: { tenant, operator } }: Given): string | null {
  if ((tenant === undefined) === (operator !== true))
    throw new UsageError("Give either --tenant ID or --operator.");
  return tenant ?? null;
}

function emailIn({ options: { email } }: Given): string {
  if (email === undefined || !isEmail(email))
    throw new UsageError("Give a valid e-mail address with --email.");
  return email;
}
