/**
 * `npm run capacity -- --payments 100 --customers 1000000 [--average 0.25] [--years 2] [--cores 16] [--largest 64]`:
 * computes the machines for a number of payments per second and customers, from the measured cost of a payment
 * (docs/performance.md, docs/growing.md).
 */
import { parseArgs } from "node:util";
import { capacityOf, words } from "./capacity/model.ts";

const { values } = parseArgs({
  options: {
    payments: { type: "string", default: "1" },
    customers: { type: "string", default: "1000000" },
    average: { type: "string", default: "0.25" },
    years: { type: "string", default: "2" },
    cores: { type: "string", default: "16" },
    largest: { type: "string", default: "64" },
  },
});
const given = {
  paymentsPerSecond: Number(values.payments),
  averageShare: Number(values.average),
  customers: Number(values.customers),
  yearsKept: Number(values.years),
  coresOfMachine: Number(values.cores),
  coresOfLargest: Number(values.largest),
};
if (Object.values(given).every((value) => Number.isFinite(value) && value > 0)) {
  console.log(words(given, capacityOf(given)).join("\n"));
} else {
  console.error("Every value is a number above 0.");
  process.exitCode = 2;
}
