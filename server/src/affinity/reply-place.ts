/** A stored reply, encrypted. Times in Unix seconds. */
export interface SealedReply {
  key: string;
  userId: number;
  sealed: string;
  now: number;
  until: number;
}

/** Where replies are kept. Methods reject while the place is away. */
export interface ReplyPlace {
  get(key: string, now: number): Promise<string | undefined>;
  /** Replies that end first give way, so that all together have at most `most` bytes. */
  put(reply: SealedReply, most: number): Promise<void>;
  /** Left out: of all users. */
  clear(userId?: number): Promise<void>;
  size(now: number): Promise<{ replies: number; bytes: number }>;
  /** Removes replies after their time, until `isOver`. */
  prune(now: number, isOver: () => boolean): Promise<void>;
  close(): void;
}
