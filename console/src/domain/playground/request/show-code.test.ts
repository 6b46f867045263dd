import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { codeOf } from './show-code.ts';

const address = 'https://hub.example';

/** Texts that end a literal of one of the languages. */
const hostile = [
  'plain',
  `it's "quoted" \\ and \\n`,
  "'''",
  '`${process.exit(1)}`',
  '$(touch /tmp/x) `id` "$HOME"',
  'Grüße 世界 \u2028 \u0000',
  "'; exit 1; '",
];

test.each(hostile)('the body in each language is the one that was sent: %j', (text) => {
  const body = JSON.stringify({ messages: [{ content: text }] }, null, 2);
  const sent = { path: '/v1/chat/completions', body };

  // The shell itself reads the words of the command.
  const shell = codeOf('curl', sent, address).replace(/^curl /, `printf '%s\\0' `);
  const words = spawnSync('bash', ['-c', shell], { encoding: 'utf8' }).stdout.split('\0');
  expect(words[0]).toBe('https://hub.example/v1/chat/completions');
  expect(words[words.indexOf('--data-raw') + 1]).toBe(body);

  const typescript = codeOf('typescript', sent, address);
  const [, literal = ''] = /const body = ([^]*?);\n\nconst response/.exec(typescript) ?? [];
  expect(runInNewContext(literal)).toBe(body);

  const python = codeOf('python', sent, address);
  const [, raw] = /^body = r'''([^]*?)'''$/m.exec(python) ?? [];
  const [, quoted = '""'] = /^body = (".*")$/m.exec(python) ?? [];
  expect(raw ?? JSON.parse(quoted)).toBe(body);
});

test.each([
  ['/v1/messages', 'x-api-key: sk-…'],
  ['/gemini/v1beta/models/m:generateContent', 'x-goog-api-key: sk-…'],
  ['/v1/responses', 'Authorization: Bearer sk-…'],
])('%s has the key where its dialect expects it', (path, header) => {
  expect(codeOf('curl', { path, body: '{}' }, address)).toContain(`-H '${header}'`);
});

test('a form names its file', () => {
  const sent = {
    path: '/v1/audio/transcriptions',
    form: [
      ['file', { file: 'a b.wav' }],
      ['model', 'whisper-1'],
    ] as [string, string | { file: string }][],
  };
  expect(codeOf('curl', sent, address)).toContain(`-F 'file=@a b.wav' \\\n  -F 'model=whisper-1'`);
  expect(codeOf('python', sent, address)).toContain('"file": open("a b.wav", "rb")');
  expect(codeOf('typescript', sent, address)).toContain('openAsBlob("a b.wav")');
});
