import type { OrderEvent, OrderEventKind } from '@relay-hub/contract';
import {
  Ban,
  Check,
  CircleCheck,
  CircleMinus,
  Gift,
  Hand,
  Plus,
  QrCode,
  RefreshCw,
  Scale,
  ShieldCheck,
  ShieldX,
  SquareArrowOutUpRight,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import type { IconShape } from '#ui/basic/icon.tsx';

type Look = readonly [icon: IconShape, tone: string];

const [plain, good, warn, bad] = ['text-text2', 'text-ok', 'text-warn', 'text-bad'];

const looks: Record<OrderEventKind, Look> = {
  created: [Plus, plain],
  started: [SquareArrowOutUpRight, plain],
  start_failed: [TriangleAlert, bad],
  start_unknown: [TriangleAlert, warn],
  notice_accepted: [ShieldCheck, good],
  notice_repeated: [ShieldCheck, plain],
  notice_ignored: [Ban, plain],
  notice_refused: [ShieldX, bad],
  second_payment: [TriangleAlert, warn],
  queried: [RefreshCw, plain],
  query_failed: [TriangleAlert, warn],
  credited: [CircleCheck, good],
  cancelled: [CircleMinus, plain],
  closed: [CircleMinus, plain],
  reward_paid: [Gift, plain],
  completed_by_hand: [Hand, warn],
  refund_started: [Undo2, plain],
  refund_done: [CircleCheck, good],
  refund_refused: [Ban, warn],
  refund_unknown: [TriangleAlert, warn],
  refund_elsewhere: [TriangleAlert, warn],
  reward_taken_back: [Gift, plain],
  dispute_opened: [Scale, warn],
  dispute_won: [Scale, good],
  dispute_lost: [Scale, bad],
  dismissed: [Check, plain],
};

/** Icon and colour of an event. */
export const lookOf = ({ kind, facts }: Pick<OrderEvent, 'kind' | 'facts'>): Look =>
  kind === 'started' && facts['show'] === 'qr' ? [QrCode, plain] : looks[kind];
