/** The screen's state in the address. */
export interface PricingSearch {
  page: number;
  size: number;
  order: string;
  keyword: string;
  /** `tokens` or `times`; empty: both. */
  type: string;
  /** Id of a model owner; 0: all. */
  owner: number;
  source: string;
  /** `merged`: models with equal terms share a row. */
  view: string;
  /** Currency and token count of the amounts shown. */
  unit: string;
  /** The model whose read view is open; empty: none. */
  show: string;
  /** The open form: a model, `group:<one of its models>`, `new` or `new:<model>`. */
  edit: string;
  /** The open dialog: `update`, `changes`, `change:<id>` or `history:<model>`. */
  open: string;
}

export const pricingDefaults: PricingSearch = {
  page: 1,
  size: 30,
  order: '',
  keyword: '',
  type: '',
  owner: 0,
  source: '',
  view: 'single',
  unit: 'USD1M',
  show: '',
  edit: '',
  open: '',
};
