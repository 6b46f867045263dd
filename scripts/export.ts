import { flag, needed, oneOf, readCommand } from '../server/src/process/command-line.ts';
import { ExportError, exportHub } from '../server/src/exports/export-hub.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { onPresentHub } from './lib/present-hub.ts';

const failed = 'Nothing was exported.';
const LEAST_PASSPHRASE = 12;

let told = 0;
const options = readCommand({
  name: 'export',
  about:
    'Writes users, tokens, channels, prices, ledger and logs of the database of DATA_DIR or DATABASE_URL into files; see ' +
    'docs/moving.md. The server may be running. After an interruption, run it again.',
  options: {
    to: needed('<folder>', 'folder of the files'),
    format: oneOf(['jsonl', 'csv'], 'form of the files; default: jsonl'),
    secrets: flag('also keys and password hashes, encrypted with EXPORT_PASSPHRASE'),
  },
  more: `EXPORT_PASSPHRASE has ${LEAST_PASSPHRASE} characters or more.`,
});
const passphrase = process.env['EXPORT_PASSPHRASE'] ?? '';
if (options.secrets && passphrase.length < LEAST_PASSPHRASE) {
  process.stderr.write(`${failed}\nSet EXPORT_PASSPHRASE to ${LEAST_PASSPHRASE} characters or more.\n`);
  process.exitCode = 1;
} else
  await onPresentHub(failed, { secret: options.secrets, kinds: [ExportError] }, async (storage, config) => {
    const secrets = openSecrets(config.secretKey);
    if (options.secrets) await checkDataKey(storage.db, secrets);
    await exportHub(storage, secrets, {
      folder: options.to,
      format: options.format,
      passphrase: options.secrets ? passphrase : undefined,
      progress(file, rows, of) {
        if (rows > 0 && rows < of && Date.now() - told < 1000) return;
        told = Date.now();
        process.stderr.write(rows === 0 ? `${file}: ${of} rows\n` : `${file}: ${rows} of ${of}\n`);
      },
    });
    process.stdout.write(`Exported to ${options.to}.\n`);
  });
