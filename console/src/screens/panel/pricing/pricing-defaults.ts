/** What the address of the screen holds. */
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
  /** `merged`: models of equal terms in one row. */
  view: string;
  /** Currency and tokens that prices are shown in. */
  unit: string;
  /** Whose form is open: a model, `group:<one of its models>`, `new` or `new:<model>`. */
  edit: string;
  /** What else is open: `update`, `changes` or `change:<id>`. */
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
  edit: '',
  open: '',
};
