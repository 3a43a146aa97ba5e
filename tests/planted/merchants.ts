/** Bugs that a merchant's developer or an operator meets. */
import type { PlantedBug } from "../simulation/planted.ts";

export const BY_MERCHANTS: readonly PlantedBug[] = [];
