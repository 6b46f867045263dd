import { storage } from '#api/storage.ts';
import { createStore } from '#api/store.ts';

const key = 'notice';
const quietKey = 'notice_quiet';

interface NoticeState {
  text: string;
  open: boolean;
  unread: boolean;
}

/** The announcement: its text, whether its dialog is open, and whether it waits to be read. */
export const notice = createStore<NoticeState>({ text: storage.get(key) ?? '', open: false, unread: false });

const today = () => new Date().toDateString();

/** A text that is new opens by itself and is kept; the same one, none or a failure leave the kept one to be opened by hand. */
export function receiveNotice(text: string): void {
  if (text === '' || text === storage.get(key)) return;
  storage.set(key, text);
  const quiet = storage.get(quietKey) === today();
  notice.set({ text, open: !quiet, unread: quiet });
}

export const openNotice = (): void => notice.set({ ...notice.get(), open: true, unread: false });

export function closeNotice(quietToday: boolean): void {
  if (quietToday) storage.set(quietKey, today());
  notice.set({ ...notice.get(), open: false });
}
