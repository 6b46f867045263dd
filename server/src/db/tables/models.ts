import type {
  ExtraRatios,
  PriceChange,
  PriceFee,
  PriceInput,
  PriceRule,
  PriceSource,
  VirtualModel,
} from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn, OptionalJsonColumn } from './json-column.ts';

export interface PreviewedList {
  prices: PriceInput[];
  /** Models whose row was rejected: they keep their price. */
  refused: string[];
  /** The list does not drop the models that it has no price of. */
  isPartial?: boolean;
}

export interface ModelsTables {
  /** Names that stand for a chain of models. */
  virtual_models: {
    id: Generated<number>;
    name: string;
    enabled: boolean;
    description: string;
    steps: JsonColumn<VirtualModel['steps']>;
    shadow: OptionalJsonColumn<NonNullable<VirtualModel['shadow']>>;
    version: number;
    updated_time: number;
    /** Name and id of the user who saved it; shadow calls are on the record of that account. */
    updated_by: string;
    updated_by_id: number;
  };
  /** Each save of a virtual model. */
  virtual_model_versions: { model_id: number; version: number; saved: JsonColumn<VirtualModel> };
  prices: {
    /** Never reused: log rows refer to the version they were charged with. */
    version: Generated<number>;
    model: string;
    type: 'tokens' | 'times';
    channel_type: number;
    input: number;
    output: number;
    extra_ratios: JsonColumn<ExtraRatios>;
    rules: JsonColumn<PriceRule[]>;
    fees: JsonColumn<PriceFee[]>;
    valid_from: number;
    /** Null while the price is in force. */
    valid_to: number | null;
    source: Generated<PriceSource>;
    /** The changes that started and ended it; null for the server itself. */
    begun_by: number | null;
    ended_by: number | null;
  };
  /** Price changes, one row per step. */
  price_changes: {
    id: Generated<number>;
    kind: PriceChange['kind'];
    mode: PriceChange['mode'];
    source: string;
    actor_id: number;
    created_time: number;
    added: number;
    changed: number;
    dropped: number;
    version: Generated<number>;
    undone_by: number | null;
  };
  /** Fetched price lists under review, until they are applied or discarded. */
  price_previews: {
    id: string;
    actor_id: number;
    source: string;
    /** Fingerprint of the prices in force at that time. */
    in_force: string;
    list: JsonColumn<PreviewedList>;
    created_time: number;
  };
  model_owners: { id: number; name: string; icon: string };
}
