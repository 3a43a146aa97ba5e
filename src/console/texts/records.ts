/** Sentences of the forms of records: settings, keys, webhooks. */
export interface RecordTexts {
  readonly create: string;
  readonly settings: string;
  readonly changed: string;
  readonly archived: string;
  readonly shownToo: string;
  readonly archivedToo: string;
  readonly archive: string;
  readonly archiveWhat: string;
  readonly archiveDone: string;
  readonly createDone: string;
  readonly saveDone: string;
  readonly yes: string;
  readonly no: string;
  readonly writeOnlyHint: string;
  readonly jsonHint: string;
  /** What the API says of a field, and how the person reads it; what is not here is shown as the API says it. */
  readonly faults: Readonly<Record<string, string>>;
  /** By the API's name of the field, alone or with what is around it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  /** Of choices. */
  readonly values: Readonly<Record<string, string>>;
}
