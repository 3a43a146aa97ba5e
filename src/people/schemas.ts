/** The schemas of people in the management API. */
import { Type } from "../lib/schema.ts";
import { email, oneOf, text } from "../http/fields.ts";
import { NullableText, NullableTime, Time, Uuid } from "../http/response-fields.ts";
import { ROLES, TENANT_ROLES } from "./access.ts";

const MEANINGS = TENANT_ROLES.map((role) => `${role}: ${ROLES[role]}.`).join(" ");

export const Invitation = Type.Object(
  { email: email(), name: text(255), role: oneOf(TENANT_ROLES, { description: MEANINGS }) },
  { $id: "PersonInvite" },
);
export const RoleChange = Type.Object({ role: oneOf(TENANT_ROLES) }, { $id: "PersonPatch" });

const FIELDS = {
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum([...TENANT_ROLES]),
  locale: NullableText,
  time_zone: NullableText,
  status: Type.Enum(["invited", "active"]),
  has_password: Type.Boolean(),
  has_authenticator: Type.Boolean({ description: "An authenticator app is set up." }),
  signs_in_elsewhere: Type.Boolean({ description: "Has signed in with the company's identity provider." }),
  last_sign_in_at: NullableTime,
  created_at: Time,
};
export const Person = Type.Object(FIELDS, { $id: "Person" });
export const People = Type.Object({ results: Type.Array(Person) }, { $id: "People" });
export const PersonWithLink = Type.Object(
  {
    ...FIELDS,
    link: Type.String({ description: "For the person to open; works once. Shown only once." }),
    link_expires_at: Time,
  },
  { $id: "PersonWithLink" },
);
const Session = Type.Object(
  {
    id: Uuid,
    method: Type.Enum(["password", "passkey", "oidc", "link"]),
    ip: NullableText,
    user_agent: NullableText,
    created_at: Time,
    seen_at: Time,
    expires_at: Time,
  },
  { $id: "ConsoleSession" },
);
export const Sessions = Type.Object({ results: Type.Array(Session) }, { $id: "ConsoleSessions" });
