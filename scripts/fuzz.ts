import { readCommand, whole } from '../server/src/process/command-line.ts';

const { seed, requests } = readCommand({
  name: 'tool fuzz',
  about:
    'Sends valid, nearly valid and hostile requests to every operation in the OpenAPI document of a real server, without a ' +
    'session and with each role. Exits with 0 if no reply was a server error, lacked the envelope or leaked a secret, and ' +
    'no refused request changed data. Uses SQLite; with TEST_POSTGRES_URL, new databases on that server.',
  options: {
    seed: whole('<number>', 'repeats a run; default: the time', Math.floor(Date.now() / 1000)),
    requests: whole('<number>', 'default: 20000', 20_000),
  },
});
// They load the whole server, which `--help` does not need.
const { emptyPostgresOn, emptySqlite } = await import('../testing/databases.ts');
const { fuzz } = await import('../testing/fuzz/fuzz.ts');
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
