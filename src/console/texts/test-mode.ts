/** Sentences of the test mode. */
export interface TestModeTexts {
  readonly tryThings: string;
  readonly clock: string;
  readonly clockWhat: string;
  /** `{time}` */
  readonly clockSays: string;
  readonly aDay: string;
  readonly aWeek: string;
  /** `{day}` */
  readonly toNextDue: string;
  readonly toNextCutOff: string;
  readonly clockDone: string;
  readonly clockWrong: string;
  readonly play: string;
  readonly playWhat: string;
  readonly comeBackWrong: string;
  readonly playNow: string;
  readonly scenarioPaid: string;
  readonly scenarioDeclined: string;
  /** `{days}` */
  readonly scenarioReturned: string;
  /** `{days}` */
  readonly scenarioChargedBack: string;
  readonly scenarioReceiverDown: string;
  readonly scenariosWhat: string;
  readonly scenario: string;
  readonly once: string;
  readonly noSandbox: string;
  readonly noSandboxHint: string;
  readonly tick: string;
  readonly tickWhat: string;
  /** `{settled}`, `{returned}`, `{charged}` */
  readonly tickDone: string;
}
