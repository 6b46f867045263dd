import { parseArgs } from 'node:util';
import { emptyPostgres, emptySqlite } from '../server/testing/databases.ts';
import { fuzz } from '../server/testing/fuzz/fuzz.ts';

/**
 * Sends valid, nearly valid and hostile requests to every operation of the OpenAPI document that a real server hands
 * out, by nobody and by people of each role. Ends with 0 when none was answered with a failure of the server, with
 * something that is no envelope or with what must stay inside, and no refused one changed anything.
 *
 *   npm run tool -- fuzz [--seed n] [--requests n]
 *
 * On SQLite; with TEST_POSTGRES_URL on new databases of that server.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, requests: text } });
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000));
const requests = Number(values.requests ?? 20_000);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const server = process.env['TEST_POSTGRES_URL'];
say(`seed ${seed}: ${requests} requests, ${server ? 'PostgreSQL' : 'SQLite'}`);
const make = server === undefined ? emptySqlite : emptyPostgres(server);
const report = await fuzz({ seed, requests, make, progress: say });

const answers = Object.entries(report.answers).map(([hundreds, count]) => `${hundreds} ${count}`);
say(`${report.requests} requests to ${report.operations} operations: ${answers.toSorted().join(', ')}`);
say(`${report.compared} refused requests compared with what the tables were before`);
say(`${report.renewed} sessions were ended by requests, and opened anew`);
for (const refused of report.neverDone) say(`never done: ${refused}`);
say(report.faults.length === 0 ? 'No faults.' : `${report.faults.length} faults.`);
process.exit(report.faults.length === 0 ? 0 : 1);
