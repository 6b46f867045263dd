import { flag, needed, readCommand, text } from '../server/src/process/command-line.ts';
import { ImportError, runImport } from '../server/src/imports/run-import.ts';
import { OldDatabaseError } from '../server/src/imports/sources/old-database.ts';
import { openSource } from '../server/src/imports/sources/open-source.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { onPresentHub } from './lib/present-hub.ts';

const failed = 'Nothing was imported.';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const options = readCommand({
  name: 'import',
  about:
    'Takes over a database of one-hub, done-hub, one-api or new-api into that of DATA_DIR or DATABASE_URL; see ' +
    'docs/moving.md. Without --apply it only reports. The server may be running.',
  options: {
    from: needed('<database>', 'an SQLite file, mysql://… or postgres://…'),
    apply: flag('write; without it the import only reports what would happen'),
    final: flag('with --apply: the last run, after which imported users may make calls here'),
    administrators: flag('also accounts with administrator rights there, with these rights'),
    'security-settings': flag(
      'also settings that decide who gets in, what new users get, where requests go, what pages show',
    ),
    logs: flag('also the calls of the old log, so that statistics show them'),
    name: text('<name>', 'name of the old installation, to import several; default: its program', undefined),
    'access-tokens': flag('also access tokens of users who never asked for one (one-hub, done-hub, one-api)'),
    json: flag('print the report as JSON'),
  },
});
if (options.final && !options.apply) {
  process.stderr.write(`${failed}\n--final needs --apply.\n`);
  process.exitCode = 2;
} else
  await onPresentHub(failed, { secret: true, kinds: [OldDatabaseError, ImportError] }, async ({ db }, config) => {
    const secrets = openSecrets(config.secretKey);
    await checkDataKey(db, secrets);
    const database = await openSource(options.from);
    let told = 0;
    try {
      const { report, program, source } = await runImport(
        database,
        { db, secrets, now: Math.floor(Date.now() / 1000), basePath: config.basePath },
        {
          source: options.name ?? '',
          apply: options.apply,
          final: options.final,
          accessTokens: options['access-tokens'],
          administrators: options.administrators,
          securitySettings: options['security-settings'],
          logs: options.logs,
          progress: (kind, done) => {
            if (Date.now() - told < 1000) return;
            told = Date.now();
            process.stderr.write(`${kind}: ${done}\n`);
          },
        },
      );
      if (options.json) {
        const remarks = Object.fromEntries(report.remarks);
        say(
          JSON.stringify({
            program,
            source,
            applied: options.apply,
            counts: Object.fromEntries(report.counts),
            remarks,
          }),
        );
        return;
      }
      say(`${program}${source === program ? '' : `, named ${source}`}`);
      for (const line of report.lines()) say(line);
      say('');
      if (!options.apply) say('Nothing was written. Add --apply to import.');
      else if (options.final) say('Imported. Imported users may make calls here now.');
      else say('Imported. Imported users wait for the last run: --apply --final.');
    } finally {
      await database.close();
    }
  });
