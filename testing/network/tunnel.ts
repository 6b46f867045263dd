import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A tunnel to a database that tests can disrupt. */
export interface Tunnel {
  url: string;
  /** Ends every connection at once. */
  breakAll(): void;
  /** Silently drops traffic: neither data nor connection ends get through. */
  goDeaf(): void;
  /** Goes deaf when this text is sent to the database, which receives it or not. */
  goDeafAt(text: string, hears: 'hears' | 'does not hear'): void;
  /** Ends every connection and refuses new ones, as a server that restarts. */
  refuse(): void;
  isDeaf(): boolean;
  /** Connections abandoned while nothing got through. */
  givenUp(): number;
  /** Forwards traffic again, buffered data first. */
  hear(): void;
  close(): void;
}

export async function tunnelTo(databaseUrl: string): Promise<Tunnel> {
  const to = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isDeaf = false;
  let refuses = false;
  let givenUp = 0;
  let trigger: { text: string; hears: boolean } | undefined;
  let held: (() => void)[] = [];
  const pass = (step: () => void) => void (isDeaf ? held.push(step) : step());
  const send = (bytes: Buffer, onward: Socket) => {
    const step = () => void (onward.writable && onward.write(bytes));
    if (!trigger || !bytes.includes(trigger.text)) return pass(step);
    if (trigger.hears) pass(step);
    isDeaf = true;
    if (!trigger.hears) pass(step);
    trigger = undefined;
  };
  const server = createServer((from) => {
    if (refuses) return void from.destroy();
    const on = connect(Number(to.port || 5432), to.hostname);
    from.on('data', (bytes: Buffer) => send(bytes, on));
    on.on('data', (bytes: Buffer) => pass(() => void (from.writable && from.write(bytes))));
    from.on('close', () => {
      if (isDeaf) givenUp++;
      pass(() => void on.end());
    });
    on.on('close', () => pass(() => void from.destroy()));
    for (const socket of [from, on]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port); // it listens on TCP
  const breakAll = () => open.forEach((socket) => void socket.destroy());
  return {
    url: url.href,
    breakAll,
    goDeaf: () => void (isDeaf = true),
    goDeafAt: (text, hears) => void (trigger = { text, hears: hears === 'hears' }),
    refuse() {
      refuses = true;
      breakAll();
    },
    isDeaf: () => isDeaf,
    givenUp: () => givenUp,
    hear() {
      isDeaf = refuses = false;
      trigger = undefined;
      const steps = held;
      held = [];
      for (const step of steps) step();
    },
    close() {
      breakAll();
      server.close();
    },
  };
}
