import type { SentRequest } from '#domain/playground/playground-types.ts';

export const codeLanguages = ['curl', 'python', 'typescript'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** Stands for a key; the page never has a real one. */
const KEY = 'sk-…';

/** A program that sends exactly this request to `address`, the public address of the hub. */
export function codeOf(language: CodeLanguage, sent: SentRequest, address: string): string {
  const call: Call = { url: address + sent.path, headers: headersOf(sent.path), sent };
  return writers[language](call);
}

interface Call {
  url: string;
  headers: [string, string][];
  sent: SentRequest;
}

/** The header with the key, as the dialect of the path has it. */
function headersOf(path: string): [string, string][] {
  if (path.startsWith('/gemini/')) return [['x-goog-api-key', KEY]];
  if (path.startsWith('/v1/messages'))
    return [
      ['x-api-key', KEY],
      ['anthropic-version', '2023-06-01'],
    ];
  return [['Authorization', `Bearer ${KEY}`]];
}

const writers: Record<CodeLanguage, (call: Call) => string> = {
  curl({ url, headers, sent }) {
    const lines = [`curl ${inShell(url)}`, ...headers.map(([name, value]) => `  -H ${inShell(`${name}: ${value}`)}`)];
    if (sent.body !== undefined)
      lines.push(`  -H 'Content-Type: application/json'`, `  --data-raw ${inShell(sent.body)}`);
    if (isSound(sent)) lines.push('  --output speech.mp3');
    for (const [name, value] of sent.form ?? [])
      lines.push(`  -F ${inShell(typeof value === 'string' ? `${name}=${value}` : `${name}=@${value.file}`)}`);
    return lines.join(' \\\n');
  },

  python({ url, headers, sent }) {
    const shown = headers.map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`).join('');
    if (sent.body === undefined) {
      const fields = (sent.form ?? []).map(([name, value]) =>
        typeof value === 'string'
          ? `    ${quoted(name)}: (None, ${quoted(value)}),\n`
          : `    ${quoted(name)}: open(${quoted(value.file)}, "rb"),\n`,
      );
      return `import requests\n\nresponse = requests.post(\n    ${quoted(url)},\n    headers={${shown.trim().replace(/,$/, '')}},\n    files={\n    ${fields.join('    ')}    },\n)\nprint(response.json())`;
    }
    return `import urllib.request

body = ${inPython(sent.body)}

request = urllib.request.Request(
    ${quoted(url)},
    data=body.encode(),
    headers={
    ${shown.replaceAll('\n    ', '\n        ')}        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
${isSound(sent) ? `    open("speech.mp3", "wb").write(response.read())` : `    for line in response:\n        print(line.decode(), end="")`}`;
  },

  typescript({ url, headers, sent }) {
    const shown = headers.map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`).join('');
    if (sent.body === undefined) {
      const fields = (sent.form ?? []).map(([name, value]) =>
        typeof value === 'string'
          ? `form.set(${quoted(name)}, ${quoted(value)});`
          : `form.set(${quoted(name)}, await openAsBlob(${quoted(value.file)}), ${quoted(value.file)});`,
      );
      return `import { openAsBlob } from 'node:fs';\n\nconst form = new FormData();\n${fields.join('\n')}\n\nconst response = await fetch(${quoted(url)}, {\n  method: 'POST',\n  headers: {\n${shown}  },\n  body: form,\n});\nconsole.log(await response.json());`;
    }
    return `${isSound(sent) ? `import { writeFile } from 'node:fs/promises';\n\n` : ''}const body = ${inTypeScript(sent.body)};

const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: {
${shown}    "Content-Type": "application/json",
  },
  body,
});
${
  isSound(sent)
    ? `await writeFile('speech.mp3', await response.bytes());`
    : `for await (const piece of response.body!.pipeThrough(new TextDecoderStream()))\n  process.stdout.write(piece);`
}`;
  },
};

/** Whether the reply is a sound, which goes into a file. */
const isSound = ({ path }: SentRequest): boolean => path === '/v1/audio/speech';

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A JSON text is a string literal in Python and TypeScript too. */
const quoted = (text: string): string => JSON.stringify(text);

/** Raw where possible, because it is read more easily. */
const inPython = (text: string): string => (text.includes("'''") ? quoted(text) : `r'''${text}'''`);

const inTypeScript = (text: string): string => (/`|\$\{/.test(text) ? quoted(text) : `String.raw\`${text}\``);
