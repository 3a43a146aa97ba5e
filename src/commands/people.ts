/** Commands about people: the operator has the database, and invites the first of each company. */
import { isEmail } from "../http/fields.ts";
import { invitePerson, peopleList, removeByEmail } from "../people/commands.ts";
import { type Command, UsageError, options } from "./command.ts";
import { withService } from "./database.ts";

/** By the words that call them. */
export const PEOPLE_COMMANDS: Readonly<Record<string, Command>> = {
  "people invite": {
    usage: "people invite (--tenant ID [--role ROLE] | --operator) --email ADDRESS --name NAME",
    does: "invites a person, or creates a new link for an existing one, and prints the link; the default role is owner",
    run: invitePeople,
  },
  "people list": {
    usage: "people list (--tenant ID | --operator)",
    does: "lists the people of a tenant, or the operators: address, role, state, name",
    run: (args) => withService((deps) => peopleList(deps, companyIn(args))),
  },
  "people remove": {
    usage: "people remove (--tenant ID | --operator) --email ADDRESS",
    does: "removes a person and signs them out everywhere",
    run: (args) =>
      withService((deps) => removeByEmail(deps, { company: companyIn(args), email: emailIn(args) })),
  },
};

function invitePeople(args: readonly string[]): Promise<string> {
  const { name, role = "owner" } = options(args);
  if (name === undefined) throw new UsageError("Give the name with --name.");
  const whom = { company: companyIn(args), email: emailIn(args) };
  return withService((deps) => invitePerson(deps, whom, { name, role }));
}

/** The id of the tenant; null for operators, who have to be meant. */
function companyIn(args: readonly string[]): string | null {
  const { tenant, operator } = options(args);
  if ((tenant === undefined) === (operator !== true))
    throw new UsageError("Give either --tenant ID or --operator.");
  return tenant ?? null;
}

function emailIn(args: readonly string[]): string {
  const { email } = options(args);
  if (email === undefined || !isEmail(email))
    throw new UsageError("Give a valid e-mail address with --email.");
  return email;
}
