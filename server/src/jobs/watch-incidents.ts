import type { NodeTrouble } from '#db/tables.ts';
import { asError } from '#caught-error.ts';
import { incidentText } from '#alarms/alarm-texts.ts';
import { Certificates } from '#alarms/certificates.ts';
import { sendDeliveries } from '#alarms/deliver.ts';
import { settleIncidents, type PresentTrouble } from '#alarms/incidents.ts';
import { forgetDeliveries, planDeliveries } from '#alarms/plan-deliveries.ts';
import { type DeliverDeps, send, type WayRow } from '#alarms/send-message.ts';
import type { Deps } from '#deps.ts';
import { UsualSpeeds } from '#features/channel/usual-speeds.ts';
import { checkUpdate } from '#features/option/check-update.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { isFirstNode } from './first-node.ts';
import { type LocalDeps, localTroubles, publishTroubles } from './local-troubles.ts';
import { settled, troublesNow } from './present-troubles.ts';
import { repeat } from './repeat.ts';

export type AlarmDeps = DeliverDeps & LocalDeps & Pick<Deps, 'hour' | 'live' | 'nodeId'>;

const EVERY_MS = 15_000;
const SEND_MS = 2_000;
const CLEAN_S = 3600;
/** Silence of the database from which on it is an incident. */
const SILENT_S = 20;
const VERSION_S = 6 * 3600;

/** Finds troubles on one of the nodes, and delivers messages on every node. Returns a handle that stops both. */
export function watchIncidents(deps: AlarmDeps): { stop(): Promise<void> } {
  const certificates = new Certificates(deps.now);
  const watch = new IncidentWatch(deps, certificates);
  const look = repeat({ everyMs: EVERY_MS, failure: 'incidents were not looked for', log: deps.log }, () =>
    watch.round(),
  );
  const told = repeat({ everyMs: SEND_MS, failure: 'messages were not sent', log: deps.log }, (isOver) =>
    deliverOnce(deps, isOver),
  );
  return {
    async stop() {
      await look.stop();
      await told.stop();
      certificates.stop();
    },
  };
}

/** Plans deliveries of new events, and sends the deliveries that are due. */
export async function deliverOnce(deps: AlarmDeps, isOver: () => boolean = () => false): Promise<void> {
  await planDeliveries(deps);
  await sendDeliveries(deps, isOver);
}

/** Looks for troubles; an outage of the database is sent without it. */
export class IncidentWatch {
  readonly #deps: AlarmDeps;
  readonly #certificates: Certificates | undefined;
  readonly #version: VersionWatch;
  readonly #speeds = new UsualSpeeds();
  /** Ways and addresses as of the last round that could read them. */
  #ways: WayRow[] = [];
  #operators: Awaited<ReturnType<typeof operatorAddresses>> = [];
  #local: NodeTrouble[] = [];
  #silentSince = 0;
  #isToldDirectly = false;
  #cleaned = 0;

  constructor(deps: AlarmDeps, certificates?: Certificates) {
    this.#deps = deps;
    this.#certificates = certificates;
    this.#version = new VersionWatch(deps);
  }

  /** One look. Throws what the database throws. */
  async round(): Promise<void> {
    const { now } = this.#deps;
    const since = this.#silentSince;
    const began = now();
    try {
      this.#local = await localTroubles(this.#deps, this.#certificates);
      // Written in each round, so that a database that only reads is noticed.
      await publishTroubles(this.#deps.db, this.#deps.nodeId, this.#local);
      if (await isFirstNode(this.#deps)) await this.#settle(since);
      this.#silentSince = 0;
      this.#isToldDirectly = false;
    } catch (error) {
      // On SQLite, a write waits behind others that wait for the lock.
      this.#silentSince = since || began;
      if (now() - this.#silentSince >= SILENT_S) await this.#tellDirectly(error);
      throw error;
    }
  }

  async #settle(since: number): Promise<void> {
    const { db, now } = this.#deps;
    this.#ways = await db.selectFrom('ways').where('user_id', '=', 0).where('enabled', '=', true).selectAll().execute();
    this.#operators = await operatorAddresses(this.#deps);
    const silence = since > 0 && now() - since >= SILENT_S ? [silent(since, now())] : [];
    await settleIncidents(db, [...silence, ...(await troublesNow(this.#deps, this.#speeds))], settled, now());
    const version = await this.#version.newer();
    if (version) await settleIncidents(db, version.troubles, ['version'], now());
    if (now() - this.#cleaned > CLEAN_S) {
      await forgetDeliveries(this.#deps);
      this.#cleaned = now();
    }
  }

  /** Once per outage, by the ways that were known before it. */
  async #tellDirectly(error: unknown): Promise<void> {
    if (this.#isToldDirectly) return;
    this.#isToldDirectly = true;
    const { live, log, now } = this.#deps;
    // A full disk refuses writes: that is the better name for the silence.
    const full = this.#local.find(({ kind }) => kind === 'storage');
    const { kind, params } = full ?? silent(this.#silentSince, now());
    const { title, advice } = incidentText(kind, params, live.settings.Language);
    const message = {
      id: `msg_outage_${this.#silentSince}`,
      type: 'incident.opened',
      object: kind,
      severity: 'critical' as const,
      isOver: false,
      title,
      lines: [asError(error).message, advice],
      link: '',
      data: { kind, params },
      time: this.#silentSince,
      now: now(),
      replyTo: '',
    };
    for (const way of this.#ways)
      try {
        await send({ ...this.#deps, operators: this.#operators }, way, message);
      } catch (failure) {
        log.warn({ err: failure }, 'the outage of the database was not told');
      }
  }
}

const silent = (since: number, now: number): PresentTrouble => ({
  kind: 'database',
  object: '',
  severity: 'critical',
  params: { seconds: now - since },
  beganAt: since,
});

/** Asks the configured source for newer versions, a few times a day. */
class VersionWatch {
  readonly #deps: Pick<Deps, 'config' | 'live' | 'log' | 'now'>;
  #asked = 0;
  #source: string | undefined;

  constructor(deps: Pick<Deps, 'config' | 'live' | 'log' | 'now'>) {
    this.#deps = deps;
  }

  /** A newer version, if there is one; undefined: it is not known now. */
  async newer(): Promise<{ troubles: PresentTrouble[] } | undefined> {
    const { config, live, log, now } = this.#deps;
    const source = live.settings.UpdateSource;
    if (source === this.#source && (source === '' || now() - this.#asked < VERSION_S)) return undefined;
    this.#source = source;
    this.#asked = now();
    try {
      const { running, releases } = await checkUpdate({ config, live });
      const version = releases.find(({ newer }) => newer)?.version;
      if (version === undefined) return { troubles: [] };
      return { troubles: [{ kind: 'version', object: version, severity: 'info', params: { version, running } }] };
    } catch (error) {
      log.warn({ err: error }, 'newer versions could not be looked for');
      return undefined;
    }
  }
}
