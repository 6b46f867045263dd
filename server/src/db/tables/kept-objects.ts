import type { Generated } from 'kysely';

/** `item`: of a response. `message`: the last message of a thread. */
export type UpstreamObjectKind =
  | 'response'
  | 'item'
  | 'message'
  | 'conversation'
  | 'file'
  | 'cache'
  | 'batch'
  | 'vector_store'
  | 'container'
  | 'message_container'
  | 'skill';

export interface KeptObjectsTables {
  /**
   * Places of conversations for their prompt cache, exchanged between nodes. `revision`: of the counter
   * `conversations` when the row was written.
   */
  conversations: {
    id: string;
    channel_id: number;
    key_id: number;
    life_ms: number;
    ends_ms: number;
    revision: number;
  };
  /** Objects that a provider keeps, such as responses and files, by the channel and key that hold them. */
  upstream_objects: {
    kind: UpstreamObjectKind;
    /** The provider's id. */
    object_id: string;
    /** The owner; no other user can refer to it. */
    user_id: number;
    token_id: number;
    channel_id: number;
    key_id: number;
    /** The object that it belongs to, such as an item's response; empty: none. */
    parent_id: Generated<string>;
    /** Tokens of the conversation that it continues, for the reservation of the next call. */
    tokens: Generated<number>;
    /** The entry in lists, as JSON; empty: none. */
    data: Generated<string>;
    created_at: number;
    expires_at: number;
  };
  /** Secrets for realtime sessions. */
  client_secrets: {
    secret_hash: string;
    token_id: number;
    /** Configuration of the session as JSON, encrypted. */
    session_cipher: string;
    created_at: number;
    expires_at: number;
  };
  /** Responses of channels whose provider keeps none. */
  stored_responses: {
    response_id: string;
    user_id: number;
    token_id: number;
    /** The response that it continues; empty: none. */
    previous_id: Generated<string>;
    /** Input and response, encrypted. */
    content_cipher: string;
    /** The process that makes it in the background; empty: it has ended. */
    node: Generated<string>;
    created_at: number;
    expires_at: number;
  };
  /** Replies that are sent again to equal requests. */
  cached_replies: {
    /** Keyed hash of user, group and request. */
    key: string;
    /** The user whose call made the reply. */
    user_id: number;
    /** The reply and the facts of its charge, encrypted. */
    reply_cipher: string;
    bytes: number;
    expires_at: number;
  };
}
