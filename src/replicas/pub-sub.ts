import * as z from 'zod';
import type { Cipher } from './cipher.ts';
import type { RedisConnection } from './redis-connection.ts';

const messageSchema = z.object({ topic: z.string(), sender: z.string(), uri: z.string().optional(), newest: z.number().optional() });

/** What one session says to the others about a topic; `sender` identifies the session. */
export type Message = z.output<typeof messageSchema>;

/** Messages between sessions on all replicas, encrypted on their way. */
export interface PubSub {
  /** Sends to all sessions; the message is lost where Redis cannot be reached. */
  publish(message: Message): void;
  /** Calls `listener` with the messages of other senders than `self` about a topic, until the returned function is called. */
  subscribe(topic: string, self: string, listener: (message: Message) => void): () => void;
}

/** Stands for the key in the encryption of messages, which have none. */
const ENCRYPTED_FOR = 'news';

export function createPubSub(connection: RedisConnection, cipher: Cipher): PubSub {
  const listeners = new Map<string, Set<(message: Message) => void>>();

  connection.subscribe((text) => {
    const decrypted = cipher.decrypt(text, ENCRYPTED_FOR);
    const message = decrypted === undefined ? undefined : messageSchema.safeParse(JSON.parse(decrypted)).data;
    if (!message) return;
    for (const listener of listeners.get(message.topic) ?? []) listener(message);
  });

  return {
    publish(message) {
      connection.publish(cipher.encrypt(JSON.stringify(message), ENCRYPTED_FOR));
    },
    subscribe(topic, self, listener) {
      const ofTopic = listeners.get(topic) ?? new Set();
      const receive = (message: Message) => {
        if (message.sender !== self) listener(message);
      };
      listeners.set(topic, ofTopic.add(receive));
      return () => {
        ofTopic.delete(receive);
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic);
      };
    },
  };
}
