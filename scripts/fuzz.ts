import { parseArgs } from 'node:util';
import { emptyPostgresOn, emptySqlite } from '../server/testing/databases.ts';
import { fuzz } from '../server/testing/fuzz/fuzz.ts';

/**
 * Sends valid, nearly valid and hostile requests to every operation in the OpenAPI document of a real server, without a
 * session and with each role. Exits with 0 if no reply was a server error, lacked the envelope or leaked a secret, and no
 * refused request changed data.
 *
 *   npm run tool -- fuzz [--seed n] [--requests n]
 *
 * Uses SQLite; with TEST_POSTGRES_URL, new databases on that server.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { seed: text, requests: text } });
const seed = Number(values.seed ?? Math.floor(Date.now() / 1000));
const requests = Number(values.requests ?? 20_000);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const server = process.env['TEST_POSTGRES_URL'];
say(`seed ${seed}: ${requests} requests, ${server ? 'PostgreSQL' : 'SQLite'}`);
const make = server === undefined ? emptySqlite : emptyPostgresOn(server);
const report = await fuzz({ seed, requests, make, progress: say });

const answers = Object.entries(report.answers).map(([hundreds, count]) => `${hundreds} ${count}`);
say(`${report.requests} requests to ${report.operations} operations: ${answers.toSorted().join(', ')}`);
say(`${report.compared} refused requests: tables compared with their state before`);
say(`${report.renewed} sessions were ended by requests and opened again`);
for (const refused of report.neverDone) say(`never succeeded: ${refused}`);
say(report.faults.length === 0 ? 'No faults.' : `${report.faults.length} faults.`);
process.exit(report.faults.length === 0 ? 0 : 1);
