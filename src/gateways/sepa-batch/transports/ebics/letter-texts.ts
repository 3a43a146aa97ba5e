/** The words of the letters to the bank. */

export type LetterLanguage = "de" | "en" | "fr";
export const LETTER_LANGUAGES = ["de", "en", "fr"] as const satisfies readonly LetterLanguage[];

export interface LetterTexts {
  readonly title: string;
  readonly intro: string;
  readonly hostId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly date: string;
  readonly uses: Readonly<Record<"signature" | "authentication" | "encryption", string>>;
  readonly version: string;
  readonly exponent: string;
  readonly modulus: string;
  readonly keyHash: string;
  readonly certificateHash: string;
  readonly confirm: string;
  readonly placeAndDate: string;
  readonly name: string;
  readonly signature: string;
}

export const LETTER_TEXTS: Readonly<Record<LetterLanguage, LetterTexts>> = {
  de: {
    title: "EBICS-Initialisierungsbrief (INI und HIA)",
    intro: "Bitte schalten Sie den unten genannten Teilnehmer mit diesen öffentlichen Schlüsseln frei.",
    hostId: "Host-ID der Bank",
    partnerId: "Kunden-ID (Partner-ID)",
    userId: "Teilnehmer-ID (User-ID)",
    date: "Datum",
    uses: {
      signature: "Schlüssel für die bankfachliche Unterschrift",
      authentication: "Schlüssel für die Authentifikation",
      encryption: "Schlüssel für die Verschlüsselung",
    },
    version: "Version",
    exponent: "Exponent",
    modulus: "Modulus",
    keyHash: "Hashwert des öffentlichen Schlüssels (SHA-256)",
    certificateHash: "Hashwert des Zertifikats (SHA-256)",
    confirm: "Ich bestätige hiermit die obigen öffentlichen Schlüssel für meinen EBICS-Zugang.",
    placeAndDate: "Ort, Datum",
    name: "Name",
    signature: "Unterschrift",
  },
  en: {
    title: "EBICS initialisation letter (INI and HIA)",
    intro: "Please activate the subscriber named below with these public keys.",
    hostId: "Host ID of the bank",
    partnerId: "Partner ID (customer)",
    userId: "User ID (subscriber)",
    date: "Date",
    uses: {
      signature: "Key for the electronic signature",
      authentication: "Key for authentication",
      encryption: "Key for encryption",
    },
    version: "Version",
    exponent: "Exponent",
    modulus: "Modulus",
    keyHash: "Hash of the public key (SHA-256)",
    certificateHash: "Hash of the certificate (SHA-256)",
    confirm: "I hereby confirm the above public keys for my EBICS access.",
    placeAndDate: "Place, date",
    name: "Name",
    signature: "Signature",
  },
  fr: {
    title: "Lettre d’initialisation EBICS (INI et HIA)",
    intro: "Merci d’activer l’abonné désigné ci-dessous avec ces clés publiques.",
    hostId: "Host ID de la banque",
    partnerId: "Identifiant client (Partner ID)",
    userId: "Identifiant utilisateur (User ID)",
    date: "Date",
    uses: {
      signature: "Clé de signature électronique",
      authentication: "Clé d’authentification",
      encryption: "Clé de chiffrement",
    },
    version: "Version",
    exponent: "Exposant",
    modulus: "Module",
    keyHash: "Empreinte de la clé publique (SHA-256)",
    certificateHash: "Empreinte du certificat (SHA-256)",
    confirm: "Je confirme par la présente les clés publiques ci-dessus pour mon accès EBICS.",
    placeAndDate: "Lieu, date",
    name: "Nom",
    signature: "Signature",
  },
};
