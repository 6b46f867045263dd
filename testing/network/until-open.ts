import { connect } from 'node:net';
import { until } from '#testing/until.ts';

/** Waits until a port of this machine accepts connections. */
export async function untilOpen(port: number): Promise<void> {
  await until(`port ${port} is open`, async () => {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    return open;
  });
}
