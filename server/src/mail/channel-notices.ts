import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import { notify } from '#notifications/notify.ts';
import type { Mailer } from './mailer.ts';
import { operatorAddresses } from './operator-addresses.ts';
import { sendMail } from './send-mail.ts';

const severities = {
  channelOff: 'error',
  channelOn: 'info',
  keyOff: 'warning',
  keyOn: 'info',
  usage: 'warning',
} as const;
type ShownKind = keyof typeof severities;

type Values = Record<string, string | number>;

/** An automatic change of a channel, or the result of a job over all channels. */
export type ChannelNotice =
  | { kind: ShownKind; channel: number; values?: Values }
  | { kind: 'testDone'; values: Values };

type NoticeDeps = Pick<BaseDeps, 'config' | 'db' | 'live' | 'log'> & { mailer: Mailer };

/**
 * Shows automatic changes of channels to administrators in the console, and mails results of tests begun by hand.
 * Troubles are incidents. In the background, each once, by the node where it happened.
 */
export class ChannelNotices {
  readonly #deps: NoticeDeps;
  #work = Promise.resolve();

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  add(notice: ChannelNotice): void {
    this.#work = this.#work
      .then(() => (notice.kind === 'testDone' ? this.#mail(notice.values) : this.#show(notice)))
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'a notice of a channel was lost'));
  }

  /** Resolves when all notices were shown and sent. Never rejects. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #show({ kind, channel, values }: Extract<ChannelNotice, { kind: ShownKind }>): Promise<void> {
    const { db } = this.#deps;
    const row = await db.selectFrom('channels').where('id', '=', channel).select('name').executeTakeFirst();
    const now = Math.floor(Date.now() / 1000);
    const params = { ...values, name: row?.name ?? '' };
    await notify(db, { userId: 0, kind, severity: severities[kind], object_id: channel, params, now });
  }

  async #mail(values: Values): Promise<void> {
    const { live, mailer, log } = this.#deps;
    if (!mailer.isSetUp()) return;
    const base = live.settings.ServerAddress;
    for (const { email, language } of await operatorAddresses(this.#deps))
      try {
        await sendMail({ mailer, live }, email, [language], {
          kind: 'channels',
          events: [{ kind: 'testDone', values }],
          ...(base !== '' && { link: `${base}/panel/channel` }),
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log.warn({ code: error.code }, 'the result of a channel test was not mailed');
      }
  }
}
