/** Our canonical form compared with that of libxml2, for documents with error-prone content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { validateXML } from "xmllint-wasm";
import { canonical } from "./xml-canonical.ts";
import { attributeOf, outermost, Unreadable, xmlTree } from "./xml-tree.ts";

const DOCUMENTS: readonly string[] = [
  '<a xmlns="urn:x:1" b="2" a="1"><c/></a>',
  '<a xmlns:z="urn:z:1" xmlns:b="urn:a:1" z:a="1" b:z="2" a="3"><b:c z:q="&#9;&#10;&#13;&quot;&lt;&gt;\'"/></a>',
  '<p:a xmlns:p="urn:p:1" xmlns="urn:d:1"><b xmlns=""><c xmlns="urn:d:1"/></b><p:b xmlns:p="urn:p:2"/></p:a>',
  '<a xmlns="urn:x:1"><!-- said nothing --><b> 1 &lt; 2 &amp;&gt; &#13; ü 😀 </b>\r\n<c\n x = "a  b\tc"></c></a>',
  '<a xmlns="urn:x:1" xmlns:B="urn:B:1" xmlns:a="urn:a:1" xmlns:b="urn:b:1"><a:b B:x="1" b:x="2" x="3"/></a>',
  '<a xmlns:p="urn:p:1"><b xmlns:p="urn:p:1"><p:c xmlns:q="urn:q:1"/></b></a>',
];

test("the canonical form is that of libxml2", async () => {
  for (const xml of DOCUMENTS) {
    const { normalized } = await validateXML({
      xml: { fileName: "document.xml", contents: xml },
      normalization: "c14n",
      schema: [],
    });
    const theirs = normalized.replaceAll(/<!--.*?-->/g, "");
    assert.equal(canonical(xmlTree(xml, 10_000)), theirs.replace(/\n$/, ""));
  }
});

test("an element is written with the namespaces that are in scope where it stands", () => {
  const xml = '<a xmlns="urn:x:1" xmlns:d="urn:d:1"><b><c authenticate="true"><d:e/></c></b></a>';
  const [c] = outermost(xmlTree(xml, 10_000), (node) => attributeOf(node, "authenticate") === "true");
  assert.ok(c !== undefined);
  assert.equal(canonical(c), '<c xmlns="urn:x:1" xmlns:d="urn:d:1" authenticate="true"><d:e></d:e></c>');
});

test("document types, entities, CDATA, depth, length and broken documents are refused", () => {
  for (const xml of [
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><a/>',
    "<a>&b;</a>",
    "<a><![CDATA[x]]></a>",
    `${"<a>".repeat(100)}${"</a>".repeat(100)}`,
    `<a>${"x".repeat(20_000)}</a>`,
    "<a>",
    "",
    "<a/><b/>",
    '<a b="1" b="2"/>',
    "<p:a/>",
  ]) {
    assert.throws(() => xmlTree(xml, 10_000), Unreadable, xml.slice(0, 80));
  }
});
