/** The operator's pages: the path, required action and place in the navigation of each. Pure. */
import type { Action } from "../../people/access.ts";
import type { IconName } from "../design/icons.ts";
import type { TextKey } from "../words.ts";

export const OPERATOR_PATH = "/console/operator/";
export const TENANTS_PATH = `${OPERATOR_PATH}tenants/`;
export const JOBS_PATH = `${OPERATOR_PATH}jobs/`;
export const QUEUES_PATH = `${OPERATOR_PATH}queues/`;
export const RECEIVERS_PATH = `${OPERATOR_PATH}receivers/`;
export const BANKS_PATH = `${OPERATOR_PATH}banks/`;
export const MASTER_KEYS_PATH = `${OPERATOR_PATH}keys/`;

export const OPERATOR_PAGES: readonly (readonly [
  path: string,
  text: TextKey,
  action: Action,
  icon: IconName,
])[] = [
  [OPERATOR_PATH, "installation", "operator.versions", "home"],
  [TENANTS_PATH, "tenants", "operator.tenants", "customers"],
  [JOBS_PATH, "jobs", "operator.health", "subscriptions"],
  [QUEUES_PATH, "queues", "operator.health", "queues"],
  [RECEIVERS_PATH, "receivers", "operator.health", "developers"],
  [BANKS_PATH, "banks", "operator.health", "bank"],
  [MASTER_KEYS_PATH, "masterKeys", "operator.keys", "key"],
];
