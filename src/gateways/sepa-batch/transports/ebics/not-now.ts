/** Nothing can be sent or fetched now; the words say what has to happen. */
export class NotNow extends Error {
  /** Whether another session is under way, which ends soon. */
  readonly busy: boolean;

  constructor(reason: string, busy = false) {
    super(reason);
    this.name = "NotNow";
    this.busy = busy;
  }
}
