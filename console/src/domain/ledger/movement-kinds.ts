/** All ledger kinds except charges of calls, as a value of the API's filter. */
export const movementKinds = 'topup,redemption,gift,reward,refund,dispute,correction';
