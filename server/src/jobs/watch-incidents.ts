import { Certificates } from '#alarms/certificates.ts';
import { sendDeliveries } from '#alarms/deliver.ts';
import { openIncidents, settleIncidents, type PresentTrouble } from '#alarms/incidents.ts';
import { forgetDeliveries, planDeliveries } from '#alarms/plan-deliveries.ts';
import type { DeliverDeps } from '#alarms/send-message.ts';
import type { Deps } from '#deps.ts';
import { UsualSpeeds } from '#features/channel/usual-speeds.ts';
import { checkUpdate } from '#features/option/check-update.ts';
import { operatorAddresses } from '#mail/operator-addresses.ts';
import { DatabaseSilence } from './database-silence.ts';
import { isFirstNode } from './first-node.ts';
import { type LocalDeps, localTroubles, publishTroubles, storageTrouble } from './local-troubles.ts';
import { settled, troublesNow } from './present-troubles.ts';
import { forgetOutages, repeat } from './repeat.ts';

export type AlarmDeps = DeliverDeps & LocalDeps & Pick<Deps, 'hour' | 'live' | 'nodeId' | 'unwritten'>;

const EVERY_MS = 15_000;
const SEND_MS = 2_000;
const SILENCE_MS = 5_000;
const CLEAN_S = 3600;
const VERSION_S = 6 * 3600;

/** Finds troubles on one of the nodes, and delivers messages on every node. Returns a handle that stops both. */
export function watchIncidents(deps: AlarmDeps): { stop(): Promise<void> } {
  const certificates = new Certificates(deps.now);
  const watch = new IncidentWatch(deps, certificates);
  const look = repeat(
    { name: 'incidents', everyMs: EVERY_MS, failure: 'incidents were not looked for', log: deps.log },
    () => watch.round(),
  );
  const told = repeat(
    { name: 'messages', everyMs: SEND_MS, failure: 'messages were not sent', log: deps.log },
    (isOver) => deliverOnce(deps, isOver),
  );
  // Another job, because a round can wait for the database.
  const silence = repeat(
    { name: 'outage', everyMs: SILENCE_MS, failure: 'an outage was not told', log: deps.log },
    () => watch.tellSilence(),
  );
  return {
    async stop() {
      await silence.stop();
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
  readonly #silence: DatabaseSilence;
  #cleaned = 0;

  constructor(deps: AlarmDeps, certificates?: Certificates) {
    this.#deps = deps;
    this.#certificates = certificates;
    this.#version = new VersionWatch(deps);
    this.#silence = new DatabaseSilence(deps);
  }

  /** One look. Throws what the database throws. */
  async round(): Promise<void> {
    const { db, log, nodeId } = this.#deps;
    this.#silence.begin();
    // Jobs that failed for lack of the database are not troubles as well.
    if (this.#silence.isSilent) forgetOutages(log);
    try {
      const local = await localTroubles(this.#deps, this.#certificates);
      const isFirst = await isFirstNode(this.#deps);
      if (isFirst && !this.#silence.isSilent) await this.#learn();
      // Written in each round, so that a database that only reads is noticed.
      await publishTroubles(db, nodeId, local);
      if (isFirst) await this.#settle();
      this.#silence.end();
    } catch (error) {
      // A disk quota without room looks like any other failure of SQLite.
      this.#silence.fail(error, storageTrouble(this.#deps, true)[0]);
      await this.#silence.tell();
      throw error;
    }
  }

  /** Tells that the running round gets no answer, and repeats messages that were not taken. Needs no database. */
  tellSilence(): Promise<void> {
    return this.#silence.tell();
  }

  async #learn(): Promise<void> {
    const { db } = this.#deps;
    this.#silence.know({
      ways: await db.selectFrom('ways').where('user_id', '=', 0).where('enabled', '=', true).selectAll().execute(),
      operators: await operatorAddresses(this.#deps),
      isStorageOpen: (await openIncidents(db, 'storage')).size > 0,
    });
  }

  async #settle(): Promise<void> {
    const { db, now } = this.#deps;
    await this.#silence.record();
    await settleIncidents(db, await troublesNow(this.#deps, this.#speeds), settled, now());
    const version = await this.#version.newer();
    if (version) await settleIncidents(db, version.troubles, ['version'], now());
    if (now() - this.#cleaned > CLEAN_S) {
      await forgetDeliveries(this.#deps);
      this.#cleaned = now();
    }
  }
}

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
