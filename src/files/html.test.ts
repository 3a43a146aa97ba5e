/** External data cannot become markup. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../tests/support/properties.ts";
import { html } from "./html.ts";

test("text is escaped in text and in attributes", () => {
  const hostile = `<script>alert("1")</script>'\`&`;
  const escaped = "&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#96;&#38;";
  assert.equal(html`<p title="${hostile}">${hostile}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
});

test("no text can close its quotation marks or open an element", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.doesNotMatch(html`${text}`.text, /[<>"'`]/);
    }),
  );
});

test("markup and lists of it are written unchanged; null and false write nothing", () => {
  const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
  assert.equal(
    html`<ul>
        ${items}
      </ul>
      ${null}${false}${0}`.text.replace(/\s+/g, ""),
    "<ul><li>a</li><li>&#60;b&#62;</li></ul>0",
  );
});
