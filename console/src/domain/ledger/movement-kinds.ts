/** All ledger kinds except charges of calls, as a value of the API's filter. */
export const movementKinds = 'opening,topup,redemption,gift,reward,refund,dispute,correction,plan,transfer';
