/** Nothing can be sent or fetched now; the message says what has to happen first. */
export class NotNow extends Error {
  /** Whether another session is in progress, which ends soon. */
  readonly busy: boolean;

  constructor(reason: string, busy = false) {
    super(reason);
    this.name = "NotNow";
    this.busy = busy;
  }
}
