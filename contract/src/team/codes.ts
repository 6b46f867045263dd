/** `billing` sees usage and money and may pay in; it has no keys. */
export const teamRoles = ['owner', 'admin', 'billing', 'member'] as const;
export type TeamRole = (typeof teamRoles)[number];

/** Roles that can be given; ownership is handed over. */
export const givenTeamRoles = ['admin', 'billing', 'member'] as const satisfies TeamRole[];

/** Origin of a membership: a person, or groups of the identity provider by sign-in or by SCIM. */
export const memberSources = ['', 'oidc', 'scim'] as const;
export type MemberSource = (typeof memberSources)[number];

/** A group of the identity provider whose people are members of a team: a row of the setting `TeamsOfGroups`. */
export interface TeamOfGroup {
  /** Value of the claim, or name or external id of a SCIM group. */
  group: string;
  team: number;
  role: (typeof givenTeamRoles)[number];
}

/** Header with the id of the team for whose account a request acts; absent: the person's own account. */
export const accountHeader = 'x-account';

/** Days for which an invitation is valid. */
export const INVITE_DAYS = 7;

const all: readonly TeamRole[] = teamRoles;
const leaders: readonly TeamRole[] = ['owner', 'admin'];
/** Roles that see and add money of the team. */
export const payerRoles: readonly TeamRole[] = ['owner', 'admin', 'billing'];
const payers = payerRoles;
const users: readonly TeamRole[] = ['owner', 'admin', 'member'];

/** Roles that may use the playground at the team's cost. */
export const playgroundRoles = users;

/**
 * Operations that follow `accountHeader`, with the roles of the team that may call them. All others concern the person
 * who is signed in, or the site, and ignore the header. Members only reach their own tokens and rows of the log.
 */
export const accountRoles: Readonly<Record<string, readonly TeamRole[]>> = {
  userSelf: all,
  limitSelf: all,
  planOffers: all,
  planMine: all,
  planBuy: payers,
  planSet: payers,
  planChange: payers,
  dashboardOwn: all,
  userDashboard: payers,
  analyticsOwnUsage: all,
  analyticsOwnQuality: all,
  analyticsOwnDownload: all,
  activityOwnToken: all,
  logOwnList: all,
  logOwnGet: all,
  logOwnContent: users,
  logOwnTotals: all,
  logOwnDownload: all,
  taskOwnList: all,
  taskOwnGet: all,
  taskOwnTotals: all,
  taskOwnMedia: all,
  taskOwnCancel: users,
  midjourneyOwnList: all,
  tokenList: all,
  tokenGet: all,
  tokenTags: all,
  tokenCreate: users,
  tokenUpdate: users,
  tokenRemove: users,
  tokenRotate: users,
  tokenRevokeOldKey: users,
  tokenReveal: users,
  tokenPlayground: users,
  newApiTokenKey: users,
  newApiTokenKeys: users,
  newApiModels: all,
  newApiGroups: all,
  newApiPricing: all,
  priceAvailable: all,
  userGroupMap: all,
  ledgerOwnList: payers,
  ledgerOwnTotals: payers,
  ledgerOwnDownload: payers,
  statementOwn: payers,
  statementOwnDownload: payers,
  statementFamilyMonths: payers,
  statementFamilyMonth: payers,
  ownOrderGateways: payers,
  ownOrderCreate: payers,
  ownOrderStatus: payers,
  ownOrderList: payers,
  ownOrderGet: payers,
  ownOrderCheck: payers,
  ownOrderCancel: payers,
  ownOrderReceipt: payers,
  redemptionRedeem: payers,
  notificationList: payers,
  notificationRead: payers,
  profileWebhookSecret: leaders,
};
