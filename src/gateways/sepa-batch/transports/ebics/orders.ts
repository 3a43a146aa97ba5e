/** Orders of EBICS as settings write them: an order type of three letters, or the service of H005 as NAME/SCOPE/OPTION/CONTAINER/MESSAGE. */
import { element, type Markup } from "../../../../files/xml-markup.ts";

/** A business transaction format of H005; what is absent is null. */
interface Service {
  readonly name: string;
  readonly scope: string | null;
  readonly option: string | null;
  readonly container: string | null;
  readonly message: string;
  readonly version: string | null;
}

export type Order =
  | { readonly kind: "type"; readonly type: string }
  | { readonly kind: "service"; readonly service: Service };

/** `CDD`, `HAC`; `SDD//COR//pain.008`, `EOP/DE//ZIP/camt.053`, `EOP/CH//ZIP/camt.053:08`. */
export const ORDER_PATTERN =
  "^([A-Z0-9]{3}|[A-Z0-9]{3}/([A-Z0-9]{2,3})?/([A-Z0-9]{3,10})?/(SVC|XML|ZIP)?/[a-z0-9.]{1,10}(:[0-9]{2,3})?)$";

/**
 * Reads an order.
 * @throws Error if the text does not match the pattern.
 */
export function orderOf(text: string): Order {
  if (!new RegExp(ORDER_PATTERN).test(text)) throw new Error(`${text} is not an EBICS order`);
  const [name = "", scope = "", option = "", container = "", last = ""] = text.split("/");
  if (last === "") return { kind: "type", type: name };
  const [message = "", version = null] = last.split(":");
  const given = (value: string) => (value === "" ? null : value);
  return {
    kind: "service",
    service: {
      name,
      scope: given(scope),
      option: given(option),
      container: given(container),
      message,
      version,
    },
  };
}

/** The order type, within which the bank numbers orders: all services are uploaded as BTU. */
export function uploadType(order: Order): string {
  return order.kind === "type" ? order.type : "BTU";
}

/** The order's name for messages. */
export function orderName(order: Order): string {
  if (order.kind === "type") return order.type;
  const { name, scope, option, container, message, version } = order.service;
  return [name, scope, option, container, `${message}${version === null ? "" : `:${version}`}`]
    .map((part) => part ?? "")
    .join("/");
}

/** The Service element of H005. */
export function serviceElement({ name, scope, option, container, message, version }: Service): Markup {
  return element(
    "Service",
    {},
    element("ServiceName", {}, name),
    scope === null ? null : element("Scope", {}, scope),
    option === null ? null : element("ServiceOption", {}, option),
    container === null ? null : element("Container", { containerType: container }),
    element("MsgName", { version }, message),
  );
}
