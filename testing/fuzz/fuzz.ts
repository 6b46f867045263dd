import http from 'node:http';
import fc from 'fast-check';
import type { MakeDatabase } from '#testing/databases.ts';
import { SlowClients } from '#testing/torture/torture-floods.ts';
import { type FuzzOperation, readDocument } from './fuzz-document.ts';
import { type FuzzAnswer, isRefused, judge } from './fuzz-judge.ts';
import { type DrawnRequest, requestsTo } from './fuzz-requests.ts';
import { type FuzzRequest, requestOf, send } from './fuzz-send.ts';
import { WatchedTables } from './fuzz-tables.ts';
import { type FuzzWorld, openWorld } from './fuzz-world.ts';

export interface FuzzFault {
  what: string;
  operation: string;
  request: FuzzRequest;
  status: number;
  /** Start of the reply. */
  answer: string;
}

export interface FuzzReport {
  requests: number;
  operations: number;
  /** Requests by status class. */
  answers: Record<string, number>;
  /** Refused requests after which all tables were compared. */
  compared: number;
  /** Sessions that had to be replaced. */
  renewed: number;
  /** Operations that refused every request, with the last refusal. */
  neverDone: string[];
  faults: FuzzFault[];
}

export interface FuzzOptions {
  seed: number;
  requests: number;
  make: MakeDatabase;
  /** Called regularly with the progress, and for each fault. */
  progress?: (line: string) => void;
}

/** Requests per server and database; both are replaced then, because requests destroy most records. */
const A_ROUND = 3000;
/** Operations that continue after their reply, so the next request waits for them. */
const startsWork = /^(GET|POST|DELETE) \/api\/(channel\/(test|update_balance)|log\/$|books|channel\/jobs)/;

/**
 * Sends valid, nearly valid and hostile requests to every operation of a real server's OpenAPI document, without a
 * session and with each role. Reproducible by seed, except for ids.
 */
export async function fuzz({ seed, requests, make, progress = () => {} }: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = {
    requests: 0,
    operations: 0,
    answers: {},
    compared: 0,
    renewed: 0,
    neverDone: [],
    faults: [],
  };
  const done = new Set<string>();
  const known = new Map<string, string>();
  for (let round = 0; report.requests < requests; round++) {
    const database = await make();
    const world = await openWorld(database);
    try {
      const operations = await readDocument(world.process.url);
      for (const { name } of operations) if (!known.has(name)) known.set(name, '');
      const count = Math.min(A_ROUND, requests - report.requests);
      await new Round(world, report, { done, known }, progress).run(operations, seed + round * 7919, count);
    } finally {
      await world.close();
      await database.remove();
    }
    progress(`${report.requests} requests, ${report.faults.length} faults`);
  }
  const neverDone = [...known].filter(([name]) => !done.has(name)).map(([name, last]) => `${name}: ${last}`);
  return { ...report, operations: known.size, neverDone };
}

/** Results per operation over all rounds. */
interface Outcomes {
  done: Set<string>;
  /** The last refusal. */
  known: Map<string, string>;
}

class Round {
  readonly #world: FuzzWorld;
  readonly #report: FuzzReport;
  readonly #outcomes: Outcomes;
  readonly #progress: (line: string) => void;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #mark = '';
  #sums = new Map<string, string>();

  constructor(world: FuzzWorld, report: FuzzReport, outcomes: Outcomes, progress: (line: string) => void) {
    this.#world = world;
    this.#report = report;
    this.#outcomes = outcomes;
    this.#progress = progress;
  }

  async run(operations: FuzzOperation[], seed: number, count: number): Promise<void> {
    const tables = await WatchedTables.of(this.#world.storage.db);
    const each = Math.ceil(count / operations.length);
    // Requests are generated per operation but sent in turns, so that operations find each other's records.
    const drawn = operations.map((operation, n) => ({
      operation,
      requests: fc.sample(requestsTo(operation), { seed: seed + n, numRuns: each }),
    }));
    // Slow clients are present all the time and must not affect replies.
    let isOver = false;
    const slow = new SlowClients().run(
      () => [this.#world.process.url],
      () => isOver,
    );
    for (let turn = 0, sent = 0; turn < each; turn++) {
      if (turn % 3 === 2) await this.#world.furnish();
      for (const { operation, requests } of drawn) {
        if (sent++ >= count) break;
        await this.#one(operation, requests[turn]!, tables); // `each` were drawn for every one
      }
    }
    isOver = true;
    await slow;
    this.#agent.destroy();
  }

  async #one(operation: FuzzOperation, drawn: DrawnRequest, tables: WatchedTables): Promise<void> {
    const { seen, process } = this.#world;
    const n = ++this.#report.requests;
    const ip = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    const request = requestOf(operation, drawn, seen, ip);
    const hasOwnSession = 'cookie' in drawn.headers || drawn.actor === 'nobody';
    let answer: FuzzAnswer;
    try {
      await this.#look(tables);
      answer = await send(process.url, this.#agent, request, this.#world.cookieOf(drawn.actor));
      if (answer.status === 401 && !hasOwnSession) {
        await this.#world.renew(drawn.actor);
        this.#report.renewed++;
        await this.#look(tables);
        answer = await send(process.url, this.#agent, request, this.#world.cookieOf(drawn.actor));
      }
    } catch (error) {
      return this.#blame(`no answer: ${(error as Error).message}`, operation, request);
    }
    const hundreds = `${Math.floor(answer.status / 100)}xx`;
    this.#report.answers[hundreds] = (this.#report.answers[hundreds] ?? 0) + 1;
    const signedIn = !hasOwnSession;
    for (const fault of judge(operation, answer, { signedIn, secrets: this.#world.secrets }))
      this.#blame(fault, operation, request, answer);
    if (isRefused(answer)) await this.#compare(operation, request, answer, tables);
    else await this.#learn(operation, answer, tables);
  }

  /** Renews the checksums after writes. */
  async #look(tables: WatchedTables): Promise<void> {
    const mark = await tables.mark();
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#sums = await tables.sums();
  }

  async #compare(
    operation: FuzzOperation,
    request: FuzzRequest,
    answer: FuzzAnswer,
    tables: WatchedTables,
  ): Promise<void> {
    this.#report.compared++;
    // A validation error is more informative than a missing permission.
    if (answer.status !== 401 && answer.status !== 403)
      this.#outcomes.known.set(operation.name, answer.text.slice(0, 200));
    const before = this.#sums;
    await this.#look(tables);
    const changed = WatchedTables.changed(before, this.#sums);
    if (changed.length > 0) this.#blame(`refused, yet changed: ${changed.join(', ')}`, operation, request, answer);
  }

  async #learn(operation: FuzzOperation, { text }: FuzzAnswer, tables: WatchedTables): Promise<void> {
    this.#outcomes.done.add(operation.name);
    if (operation.answer === 'envelope') this.#world.seen.learn((JSON.parse(text) as { data?: unknown }).data);
    if (!startsWork.test(operation.name)) return;
    // Until the database is stable for a while.
    for (let same = 0, left = 60; same < 4 && left > 0; left--) {
      const mark = this.#mark;
      await new Promise((resolve) => setTimeout(resolve, 50));
      await this.#look(tables);
      same = mark === this.#mark ? same + 1 : 0;
    }
  }

  #blame(what: string, operation: FuzzOperation, request: FuzzRequest, answer?: FuzzAnswer): void {
    const fault = {
      what,
      operation: operation.name,
      request,
      status: answer?.status ?? 0,
      answer: answer?.text.slice(0, 600) ?? '',
    };
    this.#report.faults.push(fault);
    const logged = this.#world.logged().slice(-2000);
    this.#progress(
      `${what}: ${operation.name} ${JSON.stringify(request).slice(0, 900)} → ${fault.status} ${fault.answer.slice(0, 300)}`,
    );
    if (logged !== '') this.#progress(`  the server’s log: ${logged}`);
  }
}
