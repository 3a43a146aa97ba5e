/** The endpoints of payment links: those of every record, and the QR code. */
import { Type } from "../../lib/schema.ts";
import type { Deps } from "../../deps.ts";
import { qrCode } from "../../files/qr-code.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { IdInPath, MANAGEMENT, recordRoutes, TAG } from "../../management/resource-routes.ts";
import { readRecord } from "../../management/resource-write.ts";
import { paymentLinkKind } from "./link.ts";
import { linkUrl } from "./token.ts";

export function paymentLinkRoutes(router: Router, deps: Deps): void {
  recordRoutes(router, deps, paymentLinkKind);

  router.add("GET", `${MANAGEMENT}payment-links/{id}/qr-code/`, {
    summary: "A payment link's QR code, as SVG",
    tag: TAG,
    access: "read",
    schema: { params: IdInPath, response: { 200: Type.Unknown() } },
    otherFormats: { "image/svg+xml": "The address of the link as a QR code." },
    async handle(call) {
      const row = await readRecord(deps, paymentLinkKind, tenantOf(call), call.params.id);
      return {
        status: 200,
        headers: { "content-type": "image/svg+xml" },
        body: qrCode(linkUrl(deps, row)).text,
      };
    },
  });
}
