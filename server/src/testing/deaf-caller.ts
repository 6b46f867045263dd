import { connect } from 'node:net';

const PIECE = Buffer.alloc(1024 * 1024, ' ');

/** The answer to a POST of so many MiB, as a caller gets it who reads nothing before he has sent all of it. */
export function sendBeforeReading(
  url: string,
  path: string,
  headers: Record<string, string>,
  mebibytes: number,
): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const all = { host, 'content-type': 'application/json', 'content-length': mebibytes * PIECE.length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    let left = mebibytes;
    const next = (): void => {
      if (left-- > 0) return void socket.write(PIECE, next);
      let text = '';
      socket.on('data', (piece: Buffer) => {
        text += piece.toString();
        // The answer is one JSON object, which ends the text.
        if (!/\r\n\r\n.*\}$/s.test(text)) return;
        socket.destroy();
        resolve(text);
      });
    };
    next();
  });
}
