import cluster from 'node:cluster';
import { asError } from '#caught-error.ts';

/** A note: its topic and value. A question has an id, its answer the same one and no topic. */
interface Parcel {
  topic?: string;
  id?: number;
  value?: unknown;
  failed?: string;
}

/** One end of the channel between a worker and the primary process: a worker, or `process` in the worker. */
interface Channel {
  send?: ((message: object, sent: (error: Error | null) => void) => unknown) | undefined;
  on(event: 'message', heard: (message: unknown) => void): unknown;
}

type Handler = (value: never) => unknown;

/**
 * Notes and questions between a worker and the primary process. Those of one turn of the event loop share a message, so
 * that busy workers send few. Values have to survive JSON.
 */
export class Link {
  readonly #channel: Channel;
  readonly #handlers = new Map<string, Handler>();
  readonly #asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #parcels: Parcel[] = [];
  #lastId = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.on('message', (parcels) => {
      for (const parcel of parcels as Parcel[]) this.#open(parcel); // only links send messages
    });
  }

  tell(topic: string, value?: unknown): void {
    this.#post({ topic, value });
  }

  /** Resolves with the answer of the other side's handler. */
  ask(topic: string, value?: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    this.#post({ topic, id, value });
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  /** Handles notes and questions of a topic. The handler's result is the answer. */
  on(topic: string, handler: Handler): void {
    this.#handlers.set(topic, handler);
  }

  /** The other side has ended: its answers will not come. */
  end(): void {
    for (const { reject } of this.#asked.values()) reject(new Error('the other process has ended'));
    this.#asked.clear();
  }

  #post(parcel: Parcel): void {
    if (this.#parcels.push(parcel) === 1) setImmediate(() => this.#send());
  }

  #send(): void {
    const parcels = this.#parcels;
    this.#parcels = [];
    // Without a channel the other process has ended, which is noticed elsewhere.
    this.#channel.send?.(parcels, () => {});
  }

  #open({ topic, id, value, failed }: Parcel): void {
    if (topic !== undefined) {
      const handled = (async () => (this.#handlers.get(topic) as ((value: unknown) => unknown) | undefined)?.(value))();
      if (id === undefined) return void handled;
      void handled.then(
        (answer) => this.#post({ id, value: answer }),
        (error: unknown) => this.#post({ id, failed: asError(error).message }),
      );
      return;
    }
    const asked = this.#asked.get(id ?? 0);
    this.#asked.delete(id ?? 0);
    if (failed === undefined) asked?.resolve(value);
    else asked?.reject(new Error(failed));
  }
}

/** The other workers of this hub, reached through the primary process. Without WORKERS there are none. */
export interface Siblings {
  /** Whether there is a primary process with other workers. */
  readonly exist: boolean;
  /** Whether an earlier worker has checked the database at this start. */
  readonly checked: boolean;
  /** Sends a note to all other workers. */
  share(topic: string, value: unknown): void;
  /** Hears what others share of a topic. */
  hear(topic: string, heard: Handler): void;
  /** Has the primary process answer. */
  ask(topic: string, value: unknown): Promise<unknown>;
  /** Answers questions of the primary process. */
  answer(topic: string, answer: () => unknown): void;
}

export const noSiblings: Siblings = {
  exist: false,
  checked: false,
  share: () => {},
  hear: () => {},
  ask: () => Promise.reject(new Error('there is no primary process')),
  answer: () => {},
};

/** A worker's messages to and from its primary process. */
interface WorkerPlace extends Siblings {
  /** The server listens. */
  ready(port: number): void;
  /** The server listens no longer. */
  closed(): void;
  onStop(stop: (listenMs: number) => unknown): void;
}

/** The place of this process among workers; undefined if it is none. */
export function takePlace(): WorkerPlace | undefined {
  if (!cluster.worker) return undefined;
  const link = new Link(process);
  const heard = new Map<string, Handler>();
  link.on('shared', ([topic, value]: [string, never]) => heard.get(topic)?.(value));
  return {
    exist: true,
    checked: cluster.worker.id > 1,
    share: (topic, value) => link.tell('shared', [topic, value]),
    hear: (topic, hears) => void heard.set(topic, hears),
    ask: (topic, value) => link.ask(topic, value),
    answer: (topic, answers) => link.on(topic, answers),
    ready: (port) => link.tell('ready', port),
    closed: () => link.tell('closed'),
    onStop: (stop) => link.on('stop', stop),
  };
}
