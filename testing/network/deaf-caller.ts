import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface LargePost {
  url: string;
  path: string;
  headers: Record<string, string>;
  mebibytes: number;
}

const PIECE = Buffer.alloc(1024 * 1024, ' ');

/**
 * Sends large POSTs in sequence from a client that reads nothing until everything is sent. It runs in a process of its
 * own, because in this one it could not send while the server closes a connection.
 */
export async function sendBeforeReading(post: LargePost, times: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(import.meta.url),
    JSON.stringify(post),
    String(times),
  ]);
  return JSON.parse(stdout) as string[];
}

/** Resolves with the reply, or with the reason why none came. */
const send = ({ url, path, headers, mebibytes }: LargePost): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port, host } = new URL(url);
    const all = { host, 'content-type': 'application/json', 'content-length': mebibytes * PIECE.length, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('error', ({ message }) => resolve(message));
    socket.on('close', () => resolve(text));
    socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    let left = mebibytes;
    const next = (): void => {
      if (left-- > 0) return void socket.write(PIECE, next);
      socket.on('data', (piece: Buffer) => {
        text += piece.toString();
        // The reply is one JSON object, which ends the text.
        if (/\r\n\r\n.*\}$/s.test(text)) socket.destroy();
      });
    };
    next();
  });

if (import.meta.main) {
  const answers: string[] = [];
  for (let time = 0; time < Number(process.argv[3]); time++)
    answers.push(await send(JSON.parse(process.argv[2]!) as LargePost));
  process.stdout.write(JSON.stringify(answers));
}
