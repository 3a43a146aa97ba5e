/** Names as entered and as banks accept them. */
import assert from "node:assert/strict";
import test from "node:test";
import { fc } from "../../../tests/support/properties.ts";
import { hasLetter, toSepaText } from "./text.ts";

const ROWS = [
  // German
  ["Jürgen Groß", "Juergen Gross"],
  ["Änne Öztürk Übel", "Aenne Oeztuerk Uebel"],
  ["MÜLLER & SÖHNE", "MUELLER + SOEHNE"],
  ["STRAẞE", "STRASSE"],
  // A letter and its accent sent as two characters
  ["Ju\u0308rgen", "Juergen"],
  // Western and northern Europe
  ["François Élan Noël", "Francois Elan Noel"],
  ["José Peña Núñez", "Jose Pena Nunez"],
  ["João Conceição", "Joao Conceicao"],
  ["Åsa Ström", "Asa Stroem"],
  ["Bjørn Æsøy ØYGARDEN", "Bjoern Aesoey OEYGARDEN"],
  ["Þórdís Guðmundsdóttir", "Thordis Gudmundsdottir"],
  ["Œuvre Ltd", "Oeuvre Ltd"],
  ["Ġorġ Ħal", "Gorg Hal"],
  // Central and eastern Europe
  ["Łucja Wąż-Żółć", "Lucja Waz-Zolc"],
  ["Dvořák Škvorecký", "Dvorak Skvorecky"],
  ["Erdős Győző", "Erdos Gyozo"],
  ["Ștefan Țigănuș", "Stefan Tiganus"],
  ["Đoković Čačak", "Dokovic Cacak"],
  ["Ģirts Ķēniņš", "Girts Kenins"],
  ["Yıldız Şahin İpek Ağa", "Yildiz Sahin Ipek Aga"],
  ["Əliyev", "Eliyev"],
  // Greek
  ["Γεώργιος Παπαδόπουλος", "Georgios Papadopoulos"],
  ["Θεοδώρα Ψαρρού", "Theodora Psarrou"],
  ["ΧΡΙΣΤΟΣ", "CHRISTOS"],
  // Cyrillic
  ["Георги Желев", "Georgi Zhelev"],
  ["Щерю Юлиянов Ъглев", "Shteryu Yuliyanov Aglev"],
  ["ЖИВКО", "ZHIVKO"],
  ["Ђорђе Љубић Њего Џемал", "Djordje Ljubic Njego Dzemal"],
  ["Ѓорѓи Ќосев Ѕвезда", "Gjorgji Kjosev Dzvezda"],
  ["Ёлка Выдрин", "Elka Vydrin"],
  // Marks
  ["Order №5 – “two” for 3 € [net]", "Order No5 - .two. for 3 EUR (net)"],
  ["O’Neil; a_b\\c", "O'Neil, a-b/c"],
  ["a@b.c 100% #1 *!", "a.b.c 100. .1 .."],
  ["<Nm>&amp;", ".Nm.+amp,"],
  // White space and invisible characters
  ["  two \n lines\t\u00a0end ", "two lines end"],
  ["zero\u200bwidth\ufeff", "zerowidth"],
  ["control\u0001x", "control x"],
  // Other widths and ligatures
  ["\uff21\uff22 \ufb01n ½", "AB fin 1/2"],
  // Scripts that cannot be transliterated
  ["王小明", "..."],
  ["😀", "."],
  ["", ""],
] as const;

for (const [text, expected] of ROWS) {
  test(`${JSON.stringify(text)} is written as ${JSON.stringify(expected)}`, () => {
    assert.equal(toSepaText(text), expected);
  });
}

test("a text is cut after it was converted, and never ends in a space", () => {
  assert.equal(toSepaText("ÜÜÜ", 4), "UEUE");
  assert.equal(toSepaText("abc def", 4), "abc");
  assert.equal(toSepaText("x".repeat(80), 70).length, 70);
});

test("a name without a letter is recognised", () => {
  assert.equal(hasLetter(toSepaText("王小明")), false);
  assert.equal(hasLetter(toSepaText("4711 / 0815")), false);
  assert.equal(hasLetter(toSepaText("Δ")), true);
});

test("whatever comes in, only the SEPA set comes out, on one line, and no longer than allowed", () => {
  const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
  fc.assert(
    fc.property(anyText, fc.nat(140), (text, charsMax) => {
      const written = toSepaText(text, charsMax);
      assert.match(written, /^[A-Za-z0-9/\-?:().,'+ ]*$/);
      assert.ok(written.length <= charsMax && written === written.trim());
    }),
    { numRuns: 2_000 },
  );
});

test("converting twice is converting once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const once = toSepaText(text);
      assert.equal(toSepaText(once), once);
    }),
    { numRuns: 2_000 },
  );
});

test("no letter of the Latin, Greek and Cyrillic alphabets of SEPA's languages is lost", () => {
  const letters = [
    "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþßÿ",
    "āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĸĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžșțẁẃẅỳ",
    "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ",
    "абвгдежзийклмнопрстуфхцчшщъьюяђјљњћџѓѕќѐѝёыэєіїґў",
  ].join("");
  // A capital letter that exists only as a letter and accents is decomposed here.
  const all = Array.from(letters + letters.toUpperCase()).filter((letter) => /\p{L}/u.test(letter));
  const lost = all.filter((letter) => !/^[A-Za-z]+$/.test(toSepaText(letter)));
  assert.deepEqual(lost, []);
});
