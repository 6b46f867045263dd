import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';

type Urls = () => string[];

/** Calls without a balance, in sequence without pauses. */
export class RefusedFlood {
  readonly #key: string;
  /** Number of replies with 402. */
  refused = 0;
  /** Calls that were cut off: a killed node may have refused and counted them. */
  cutOff = 0;

  constructor(key: string) {
    this.#key = key;
  }

  async run(urls: Urls, isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const up = urls();
      const status = await fetch(`${up[n % up.length]}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: `torture-9${n % 40}`, messages: [{ role: 'user', content: 'once more' }] }),
      }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        ({ cause }: Error) => {
          const isDown = (cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
          if (!isDown) this.cutOff++;
          return 0;
        },
      );
      if (status === 402) this.refused++;
      await sleep(status === 402 ? 10 : 50);
    }
  }
}

/** Requests that are never completed, of each kind. */
const unfinished = [
  '',
  'GET / HTTP/1.1\r\nX-',
  'POST /api/user/login HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"user',
  'POST /v1/chat/completions HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer sk-none\r\nContent-Length: 900\r\n\r\n{"mo',
];
const AT_ONCE = 60;

/** Keeps some dozen idle connections open. */
export class SlowClients {
  opened = 0;

  async run(urls: Urls, isOver: () => boolean): Promise<void> {
    const open = new Set<Socket>();
    for (let n = 0; !isOver(); n++) {
      const up = urls();
      const { port, hostname } = new URL(up[n % up.length]!);
      const socket = connect(Number(port), hostname);
      open.add(socket);
      this.opened++;
      socket.on('error', () => {});
      socket.once('close', () => open.delete(socket));
      socket.resume();
      socket.write(unfinished[n % unfinished.length]!);
      while (open.size >= AT_ONCE && !isOver()) await sleep(50);
      await sleep(40);
    }
    for (const socket of open) socket.destroy();
  }
}

/** The number of a user's refusal rows, and of the calls they count. */
export async function refusalsOf(db: Kysely<Tables>, userId: number): Promise<{ rows: number; count: number }> {
  const { rows, count } = await db
    .selectFrom('refusals')
    .where('user_id', '=', userId)
    .select(({ fn }) => [fn.countAll().as('rows'), fn.sum('count').as('count')])
    .executeTakeFirstOrThrow();
  return { rows: Number(rows), count: Number(count ?? 0) };
}
