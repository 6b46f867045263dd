import http from 'node:http';
import fc from 'fast-check';
import type { MakeDatabase } from '#testing/databases.ts';
import { SlowClients } from '#testing/torture/torture-floods.ts';
import { type FuzzOperation, readDocument } from './fuzz-document.ts';
import { type FuzzAnswer, isRefused, judge } from './fuzz-judge.ts';
import { type Drawn, requestsTo } from './fuzz-requests.ts';
import { type FuzzRequest, requestOf, send } from './fuzz-send.ts';
import { WatchedTables } from './fuzz-tables.ts';
import { type FuzzWorld, openWorld } from './fuzz-world.ts';

export interface FuzzFault {
  what: string;
  operation: string;
  request: FuzzRequest;
  status: number;
  /** The beginning of the answer. */
  answer: string;
}

export interface FuzzReport {
  requests: number;
  operations: number;
  /** Requests by the hundreds of their status. */
  answers: Record<string, number>;
  /** Refused requests after which every table was compared, by mark or by sum. */
  compared: number;
  /** Sessions that requests had ended and that were opened anew. */
  renewed: number;
  /** Operations that refused every request, with what they said last. */
  neverDone: string[];
  faults: FuzzFault[];
}

export interface FuzzOptions {
  seed: number;
  requests: number;
  make: MakeDatabase;
  /** Told now and then how far it is, and of each fault. */
  progress?: (line: string) => void;
}

/** So many to a server and its database; then both are new, so that nothing goes on in a world that is a heap of rubble. */
const A_ROUND = 2000;
/** What goes on after its answer: it is waited for, so that it is not taken for the next request's doing. */
const startsWork = /^(GET|POST|DELETE) \/api\/(channel\/(test|update_balance)|log\/$|books|channel\/jobs)/;

/**
 * Sends requests to every operation of the OpenAPI document that a real server hands out: valid ones, nearly valid ones
 * and hostile ones, by nobody and by people of each role. The seed draws the same requests again; ids in them follow
 * the answers.
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

/** What came of each operation in all rounds. */
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
    // All of one operation are drawn at once; sent, they alternate, so that what one makes another finds.
    const drawn = operations.map((operation, n) => ({
      operation,
      requests: fc.sample(requestsTo(operation), { seed: seed + n, numRuns: each }),
    }));
    // Clients that never finish a request are there all the time, and must not change an answer.
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

  async #one(operation: FuzzOperation, drawn: Drawn, tables: WatchedTables): Promise<void> {
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

  /** Takes the sums anew where somebody has written since. */
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
    // What its own form is refused for says more than that somebody may not.
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
    // Until nothing has changed for a while.
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
