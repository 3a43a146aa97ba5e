/** Bugs of the edge: what an attacker, a slow reader or a stolen password could do. */
import type { PlantedBug } from "../simulation/planted.ts";

export const AT_THE_EDGE: readonly PlantedBug[] = [];
