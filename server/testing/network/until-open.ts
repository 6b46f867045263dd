import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a port of this machine accepts connections. Throws after five seconds. */
export async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (open) return;
    await sleep(50);
  }
  throw new Error(`nothing listens on port ${port}`);
}
