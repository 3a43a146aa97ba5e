/** The page that belongs to each address at which a form can be shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageAt } from "./page-at.ts";

const PAGES = ["/console/", "/console/people/", "/console/payments/", "/console/payments/{id}/"];

test("an address without a page leads to the page above it, and a dialog's to its record with the dialog open", () => {
  for (const [path, search, expected] of [
    ["/console/payments/", "?status=approved", "/console/payments/?status=approved"],
    ["/console/payments/7/", "", "/console/payments/7/"],
    ["/console/payments/7/refund/", "?x=1", "/console/payments/7/?act=refund"],
    ["/console/payments/7/refund/again/", "", "/console/payments/7/"],
    ["/console/people/7/role/", "", "/console/people/"],
    ["/console/views/7/remove/", "", "/console/"],
    ["/console/payments/7/re%26fund/", "", "/console/payments/7/?act=re%2526fund"],
    ["/elsewhere/7/", "", "/console/"],
    ["/", "", "/console/"],
    ["", "", "/console/"],
  ] as const)
    assert.equal(pageAt(PAGES, path, search), expected, path);
});
