/** Icons of 16 by 16 pixels, drawn with one line; each stands next to a word. */
import { Html } from "../../files/html.ts";

const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z",
  payments: "M1.5 4.5h13v8h-13zM1.5 7.5h13M4 10.5h3",
  customers:
    "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.5 13.5c.6-2.4 2.8-3.5 5.5-3.5s4.9 1.1 5.5 3.5",
  subscriptions: "M13 8a5 5 0 1 1-1.5-3.6M13.5 2v3h-3",
  mandates: "M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3M5.5 8.5h5M5.5 11h5",
  chargebacks: "M5.5 3 2.5 6l3 3M2.5 6h7a3.5 3.5 0 0 1 0 7h-3",
  bank: "M2 6.5 8 3l6 3.5zM3.5 7v5M6.5 7v5M9.5 7v5M12.5 7v5M2 13.5h12",
  developers: "m5 4.5-3.5 3.5L5 11.5M11 4.5 14.5 8 11 11.5M9 3 7 13",
  setup: "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M9 3v3M4 10v3",
  people:
    "M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM1.5 13c.4-2.1 2.1-3.2 4.5-3.2s4.1 1.1 4.5 3.2M10.5 3.2a2.25 2.25 0 0 1 0 4.1M12 10c1.400.4 2.200 1.400 2.500 3",
  queues: "M2.5 4.500h11M2.500 8h11M2.500 11.500h6.500",
  key: "M6.500 9.500a3.500 3.500 0 1 1 1.300-1.300l6.200 6.200M11.500 11.700l1.500-1.500",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.500 10.500l3.500 3.500",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.500v-3h-8v8h3",
  cross: "m4 4 8 8M12 4l-8 8",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): Html {
  return new Html(
    `<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`,
  );
}
