import { storage } from '#api/storage.ts';
import { createStore } from '#api/store.ts';

const key = 'notice';
const quietKey = 'notice_quiet';

interface NoticeState {
  text: string;
  open: boolean;
  unread: boolean;
}

/** The announcement: text, whether its dialog is open, whether it is unread. */
export const notice = createStore<NoticeState>({ text: storage.get(key) ?? '', open: false, unread: false });

const today = () => new Date().toDateString();

/** Stores a new text and opens its dialog; an unchanged or empty text keeps the stored one. */
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
