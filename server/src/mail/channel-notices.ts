import type { BaseDeps } from '#base-deps.ts';
import { AppError } from '#errors.ts';
import { notify } from '#notifications/notify.ts';
import type { Mailer } from './mailer.ts';
import { operatorAddresses } from './operator-addresses.ts';
import { sendMail } from './send-mail.ts';
import type { NoticeKind } from './texts/mail-texts.ts';
import type { MailEvent } from './write-mail.ts';

/** An automatic change of a channel, or the result of a job over all channels. */
export interface ChannelNotice {
  kind: NoticeKind;
  /** Absent: all channels. */
  channel?: number;
  values?: Record<string, string | number>;
}

/** Notices within this time share one mail: an upstream's outage can end many channels. */
const GATHER_MS = 10_000;
/** Maximum notices in a mail; the rest is only counted. */
const MOST = 50;
const CLOSE_MS = 5000;

const severities = {
  channelOff: 'error',
  channelOn: 'info',
  keyOff: 'warning',
  keyOn: 'info',
  usage: 'warning',
} as const;
type ShownKind = keyof typeof severities;
const isShown = (kind: NoticeKind): kind is ShownKind => Object.hasOwn(severities, kind);

type NoticeDeps = Pick<BaseDeps, 'config' | 'db' | 'live' | 'log'> & { mailer: Mailer };

/**
 * Mails automatic changes of channels to `NOTIFY_EMAIL` or to the super administrators. Each is reported once, by the
 * node where it happened, in the background.
 */
export class ChannelNotices {
  readonly #deps: NoticeDeps;
  #waiting: ChannelNotice[] = [];
  #untold = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending = Promise.resolve();
  #showing = Promise.resolve();

  constructor(deps: NoticeDeps) {
    this.#deps = deps;
  }

  /** Queues a notice, and shows it to administrators in the console. */
  add(notice: ChannelNotice): void {
    if (isShown(notice.kind)) this.#show({ ...notice, kind: notice.kind });
    const { config, mailer } = this.#deps;
    if (config.notifyEmail === 'off' || !mailer.isSetUp()) return;
    if (this.#waiting.length < MOST) this.#waiting.push(notice);
    else this.#untold++;
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Sends the queue; resolves when the mails were sent or refused. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [notices, untold] = [this.#waiting, this.#untold];
    this.#waiting = [];
    this.#untold = 0;
    if (notices.length > 0)
      this.#sending = this.#sending
        .then(() => this.#send(notices, untold))
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'channel notices could not be sent'));
    return this.#sending;
  }

  /** In the background, one at a time. */
  #show(notice: ChannelNotice & { kind: ShownKind }): void {
    this.#showing = this.#showing
      .then(() => this.#store(notice))
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'a notification could not be stored'));
  }

  async #store(notice: ChannelNotice & { kind: ShownKind }): Promise<void> {
    const { kind, channel = 0, values } = notice;
    const params = { ...values, name: (await this.#namesOf([notice])).get(channel) ?? '' };
    const now = Math.floor(Date.now() / 1000);
    await notify(this.#deps.db, { userId: 0, kind, severity: severities[kind], object_id: channel, params, now });
  }

  /** Sends the queue, with a short timeout. */
  async close(): Promise<void> {
    await this.#showing;
    let timer: NodeJS.Timeout | undefined;
    const longEnough = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    await Promise.race([this.flush(), longEnough]);
    clearTimeout(timer);
  }

  async #send(notices: readonly ChannelNotice[], untold: number): Promise<void> {
    const { live, mailer, log } = this.#deps;
    const names = await this.#namesOf(notices);
    const events: MailEvent[] = notices.map(({ kind, channel = 0, values }) => ({
      kind,
      values: { ...values, channel, name: names.get(channel) ?? '' },
    }));
    if (untold > 0) events.push({ kind: 'more', values: { more: untold } });
    const base = live.settings.ServerAddress;
    for (const { email, language } of await operatorAddresses(this.#deps))
      try {
        await sendMail({ mailer, live }, email, [language], {
          kind: 'channels',
          events,
          ...(base !== '' && { link: `${base}/panel/channel` }),
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log.warn({ code: error.code, events: events.length }, 'channel notices were refused');
      }
  }

  async #namesOf(notices: readonly ChannelNotice[]): Promise<Map<number, string>> {
    const ids = [...new Set(notices.flatMap(({ channel }) => channel ?? []))];
    if (ids.length === 0) return new Map();
    const rows = await this.#deps.db.selectFrom('channels').where('id', 'in', ids).select(['id', 'name']).execute();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
