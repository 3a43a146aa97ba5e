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
  /** By the field's name in the API, with or without its path. */
  readonly fields: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, string>>;
  /** The values of choices. */
  readonly values: Readonly<Record<string, string>>;
}
