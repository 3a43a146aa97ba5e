/** The part that banks.ts uses of a package that comes without types. */
declare module "iban-to-bic" {
  const ibanToBic: {
    /** The BIC; undefined for an IBAN that it does not know. */
    readonly ibanToBic: (iban: string) => string | undefined;
  };
  export = ibanToBic;
}
