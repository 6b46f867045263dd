import { basePath } from '#base-path.ts';
import type { Conversation } from '#domain/playground/playground-types.ts';

/** Conversations of all accounts that used this browser, by id. They never leave it. */
const DATABASE = `${basePath}relay-hub-playground`;
const STORE = 'conversations';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(STORE, { keyPath: 'id' }).createIndex('userId', 'userId');
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(reasonOf(request)));
  }).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

const reasonOf = ({ error }: IDBRequest): Error => error ?? new Error('the browser keeps no data');

async function run<T>(mode: IDBTransactionMode, start: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const request = start(database.transaction(STORE, mode).objectStore(STORE));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(reasonOf(request)));
  });
}

/** Stores a conversation, replacing its earlier state. Rejects where the browser forbids storage or it is full. */
export const saveConversation = (conversation: Conversation): Promise<unknown> =>
  run('readwrite', (store) => store.put(conversation));

/** The conversations of an account, the last changed first. */
export async function listConversations(userId: number): Promise<Conversation[]> {
  // Only this module writes the store; `openConversation` fills in members that a later version added.
  const all = (await run('readonly', (store) => store.index('userId').getAll(userId))) as Conversation[];
  return all.toSorted((a, b) => b.changedMs - a.changedMs);
}

export const removeConversation = (id: string): Promise<unknown> => run('readwrite', (store) => store.delete(id));
