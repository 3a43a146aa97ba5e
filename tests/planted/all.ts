/**
 * Bugs that the service once had, or that no test noticed, put in one at a time: the tests that came for each have to
 * fail.
 */
import { AROUND_FILES_BY_TESTS } from "../simulation/own-bank/planted-files.ts";
import { PLANTED_AT_THE_BANK } from "../simulation/own-bank/planted.ts";
import { TOGETHER_BY_TESTS } from "../simulation/planted-together.ts";
import { WEBHOOKS_BY_TESTS } from "../simulation/planted-webhooks.ts";
import { PLANTED, type PlantedBug } from "../simulation/planted.ts";
import { OF_APPROVALS } from "./approvals.ts";
import { AT_THE_EDGE } from "./edge.ts";
import { BY_MERCHANTS } from "./merchants.ts";
import { OVER_EBICS } from "./ebics.ts";
import { BY_PAYERS } from "./payers.ts";
import { AROUND_MONEY } from "./money.ts";
import { AROUND_NOTICES } from "./notices.ts";
import { BESIDE_REPLICA } from "./replica.ts";
import { AROUND_REVERSALS } from "./reversals.ts";
import { AROUND_SELF_SERVICE } from "./self-service.ts";
import { OF_STRANGERS } from "./strangers.ts";

export const ALL: readonly PlantedBug[] = [
  ...PLANTED,
  ...PLANTED_AT_THE_BANK,
  ...AROUND_FILES_BY_TESTS,
  ...AT_THE_EDGE,
  ...BY_MERCHANTS,
  ...BY_PAYERS,
  ...OVER_EBICS,
  ...OF_APPROVALS,
  ...AROUND_MONEY,
  ...AROUND_NOTICES,
  ...AROUND_REVERSALS,
  ...AROUND_SELF_SERVICE,
  ...OF_STRANGERS,
  ...BESIDE_REPLICA,
  ...TOGETHER_BY_TESTS,
  ...WEBHOOKS_BY_TESTS,
];

/** The simulations do not cover bugs of the edge and of the merchants' features: those have tests only. */
export const PUT_BACK: readonly PlantedBug[] = ALL.filter(({ tests = [] }) => tests.length > 0);
