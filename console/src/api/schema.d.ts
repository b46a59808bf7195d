// Made from contract/openapi.json by `npm run gen`. Do not edit.

export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Jwks
         * @description The keys that sign the platform's tokens (JWKS), the next one included.
         */
        get: operations["get_jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Metrics
         * @description Counters of all server processes, in Prometheus' text format. Platform admins only.
         */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-credentials/{credential}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Access Credential
         * @description One access credential, without its key.
         */
        get: operations["get_access_credential"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-credentials/{credential}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke Access Credential
         * @description Destroy the key in custody. Tasks that run with it are broken off within seconds.
         */
        post: operations["revoke_access_credential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-credentials/{credential}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate Access Credential
         * @description Put another key in the place of the one in custody. Both are tried during the overlap.
         */
        post: operations["rotate_access_credential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Access Tokens
         * @description Your personal access tokens, without their secrets.
         */
        get: operations["list_access_tokens"];
        put?: never;
        /**
         * Create Access Token
         * @description Make a personal access token. Its secret is shown once.
         */
        post: operations["create_access_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access-tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Access Token
         * @description Revoke one of your tokens, with all that were made with it. They stop working at once.
         */
        delete: operations["revoke_access_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Allocation
         * @description One machine: its state, its host, and what it came to so far.
         */
        get: operations["get_allocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update Allocation
         * @description Rename an allocation, or note something else on it.
         */
        patch: operations["update_allocation"];
        trace?: never;
    };
    "/v1/allocations/{allocation}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Allocation Evidence
         * @description What the host said: how it was made ready and cleaned, and who came in by SSH.
         */
        get: operations["get_allocation_evidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Access Grants
         * @description Who may enter a machine, and who could.
         */
        get: operations["list_access_grants"];
        put?: never;
        /**
         * Create Access Grant
         * @description Let somebody of the project into a machine. `carried_out` says when they can enter.
         */
        post: operations["create_access_grant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release Allocation
         * @description Give a machine back, or try again where that failed. Whoever works on it is out at once.
         */
        post: operations["release_allocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}/ssh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Ssh Host
         * @description How a host without agent is reached, and whether its key was confirmed.
         */
        get: operations["get_ssh_host"];
        /**
         * Set Ssh Host
         * @description Choose the credential for a host without agent. Its first ETag is `"0"`.
         */
        put: operations["set_ssh_host"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}/ssh/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm Ssh Host
         * @description Say that the key which the host has shown is its own. From now on it must show that one.
         */
        post: operations["confirm_ssh_host"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/allocations/{allocation}/ssh/scan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scan Ssh Host
         * @description Ask a host for its key and show the fingerprint. Nothing is trusted by that.
         */
        post: operations["scan_ssh_host"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-operators/{operator}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get App Operator
         * @description One app operator.
         */
        get: operations["get_app_operator"];
        put?: never;
        post?: never;
        /**
         * Remove App Operator
         * @description Remove an app operator. It can claim nothing more.
         */
        delete: operations["remove_app_operator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get App Version
         * @description One version with its manifest, what it asks for, its artifacts and its channels.
         */
        get: operations["get_app_version"];
        /**
         * Replace App Version
         * @description Replace a draft's manifest and runbook. What was published never changes.
         */
        put: operations["replace_app_version"];
        post?: never;
        /**
         * Delete App Version
         * @description Throw a draft away.
         */
        delete: operations["delete_app_version"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-versions/{version}/deprecate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deprecate App Version
         * @description Advise against a version. It goes on working and can be restored.
         */
        post: operations["deprecate_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-versions/{version}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish App Version
         * @description Publish a draft. Its artifacts must be uploaded; from then on it never changes.
         */
        post: operations["publish_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore App Version
         * @description Take a deprecation back: the version is published as before.
         */
        post: operations["restore_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/app-versions/{version}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire App Version
         * @description End a version for good: nobody begins to use it any more.
         */
        post: operations["retire_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Apps
         * @description The apps that you can see: those of your projects, and those that others show you.
         */
        get: operations["list_apps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get App
         * @description One app.
         */
        get: operations["get_app"];
        put?: never;
        post?: never;
        /**
         * Delete App
         * @description Remove an app of which nothing was ever published, and its drafts.
         */
        delete: operations["delete_app"];
        options?: never;
        head?: never;
        /**
         * Update App
         * @description Rename an app, or show it to more or fewer.
         */
        patch: operations["update_app"];
        trace?: never;
    };
    "/v1/apps/{app}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List App Channels
         * @description The version that each channel points to.
         */
        get: operations["list_app_channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/channels/{channel}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Clear App Channel
         * @description Let a channel point to nothing. The history keeps what it pointed to.
         */
        delete: operations["clear_app_channel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Operators Of App
         * @description The operators of an app that can serve you: its publisher's, and your own.
         */
        get: operations["list_operators_of_app"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/promotions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List App Promotions
         * @description How versions came to their channels, newest first.
         */
        get: operations["list_app_promotions"];
        put?: never;
        /**
         * Promote App Version
         * @description Point a channel to a published version. An older one is a way back.
         */
        post: operations["promote_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/{app}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List App Versions
         * @description The versions of an app, newest first; drafts only for its own project.
         */
        get: operations["list_app_versions"];
        put?: never;
        /**
         * Create App Version
         * @description Draft a version from its manifest. Only its project sees it until it is published.
         */
        post: operations["create_app_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Artifact
         * @description One artifact; while it is uploading, with the bytes that have arrived.
         */
        get: operations["get_artifact"];
        put?: never;
        post?: never;
        /**
         * Delete Artifact
         * @description Remove an artifact that no published version is made of, or an upload of one.
         */
        delete: operations["delete_artifact"];
        options?: never;
        head?: never;
        /**
         * Update Artifact
         * @description Deprecate or retire an artifact, or take a deprecation back.
         */
        patch: operations["update_artifact"];
        trace?: never;
    };
    "/v1/artifacts/{artifact}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete Artifact
         * @description All bytes are there: check size and digest, and publish the artifact.
         *
         *     Uploaded bytes with another digest are thrown away, and can be uploaded again. What lies at a
         *     source is read once, from its beginning to its end: that takes as long as it takes.
         */
        post: operations["complete_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put Artifact Content
         * @description Upload bytes of an artifact, all or some, from an offset on.
         *
         *     The body is the bytes as they are. An upload goes on where the last one ended, also where that
         *     was cut: `received` of the artifact tells.
         */
        put: operations["put_artifact_content"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact}/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Artifact Instances
         * @description Your instances whose version uses an artifact: whom its revocation concerns.
         */
        get: operations["list_artifact_instances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke Artifact
         * @description Stop every new use of an artifact, at once and for good.
         */
        post: operations["revoke_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifact}/signatures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Artifact Signatures
         * @description The signatures of an artifact, each with the public key to check it with.
         */
        get: operations["list_artifact_signatures"];
        put?: never;
        /**
         * Sign Artifact
         * @description Add a publisher's signature over the digest. A good one makes the artifact verified.
         */
        post: operations["sign_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Audit Entries
         * @description Who did what, in the orgs and projects whose audit log you may read; oldest first.
         *
         *     With filters a page may hold few entries, or none, though more follow: go on until `next` is
         *     null.
         */
        get: operations["list_audit_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/{entry}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Audit Entry
         * @description One entry.
         */
        get: operations["get_audit_entry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/{entry}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Audit Proof
         * @description An entry with what proves, to whoever knows the signing key, that it was sealed so.
         */
        get: operations["get_audit_proof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/seals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Audit Seals
         * @description The signed roots of the whole log, newest first, and the keys to check them with.
         */
        get: operations["list_audit_seals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Device Code
         * @description Ask for a code by which somebody can let this program sign in as them.
         */
        post: operations["create_device_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device-codes/{user_code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Device Code
         * @description What asks to sign in as you, for you to decide.
         */
        get: operations["get_device_code"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device-codes/{user_code}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve Device Code
         * @description Let the program sign in as you. By a session alone, never by a token.
         */
        post: operations["approve_device_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device-codes/{user_code}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deny Device Code
         * @description Keep the program out. By a session alone, never by a token.
         */
        post: operations["deny_device_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeem Device Code
         * @description The token of whoever approved the code, once. With `wait`, answers when they have decided.
         */
        post: operations["redeem_device_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Login
         * @description Sign in with e-mail and password. Sets the session cookie.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish Sign In
         * @description Where a provider sends the browser back to. Sets the session cookie.
         */
        get: operations["finish_sign_in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start Sign In
         * @description Send the browser to a provider's login page.
         */
        get: operations["start_sign_in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sign In Choices
         * @description The providers that people can sign in with.
         */
        get: operations["list_sign_in_choices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set Password
         * @description Set a password with a one-time code. Sessions and tokens of the account end.
         */
        post: operations["set_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mint Token
         * @description Exchange a service account's proof for a token of minutes.
         */
        post: operations["mint_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/break-glass/artifacts/{artifact}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke Artifact As Platform
         * @description Break-glass: take any tenant's artifact out of use. The tenant sees who did it and why.
         *
         *     It is the bytes that are revoked, wherever they are and whoever brings them again.
         */
        post: operations["revoke_artifact_as_platform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/break-glass/orgs/{org}/admins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Appoint Org Admin
         * @description Break-glass: appoint a tenant admin in an org that has lost its own.
         *
         *     Needs a reason; the org sees it.
         */
        post: operations["appoint_org_admin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/enrolments/{enrolment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Enrolment
         * @description Take a line back. A host that has used it stays.
         */
        delete: operations["revoke_enrolment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entitlements/{entitlement}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Entitlement
         * @description One entitlement: which version it uses, and whether one waits for consent.
         */
        get: operations["get_entitlement"];
        put?: never;
        post?: never;
        /**
         * Delete Entitlement
         * @description Take an entitlement away. The app's permission keys that it gave are gone at once.
         */
        delete: operations["delete_entitlement"];
        options?: never;
        head?: never;
        /**
         * Update Entitlement
         * @description Change an entitlement's channel or versions, disable or enable it.
         */
        patch: operations["update_entitlement"];
        trace?: never;
    };
    "/v1/entitlements/{entitlement}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give Consent
         * @description Accept what a version of the app asks for.
         */
        post: operations["give_consent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entitlements/{entitlement}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Permission Diff
         * @description What a version asks for, against what was accepted.
         */
        get: operations["get_permission_diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/entitlements/{entitlement}/overlay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Entitlement Overlay
         * @description An entitlement's layer, which holds for one app in one project.
         */
        get: operations["get_entitlement_overlay"];
        /**
         * Put Entitlement Overlay
         * @description Write an entitlement's layer. The answer says whether it takes its version away.
         */
        put: operations["put_entitlement_overlay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Events
         * @description Events in order, after a cursor. With `wait`, answers as soon as there is one.
         *
         *     With `newest_first` the order is turned round: `next` leads to what happened earlier, until an
         *     answer holds nothing. There is nothing to wait for then.
         */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream Events
         * @description Server-sent events that go on for as long as you listen.
         *
         *     `Last-Event-ID` replays what you missed. With `watch`, messages called `moved` come in between:
         *     hints, without an id, that something of an instance is worth another look.
         */
        get: operations["stream_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/families": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Families
         * @description All families: named sets of permission keys that several apps share.
         */
        get: operations["list_families"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/families/{family}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Family
         * @description One family with its keys and what they mean.
         */
        get: operations["get_family"];
        /**
         * Put Family
         * @description Add a family, or extend one: then send the ETag that you read. Keys are never taken away.
         */
        put: operations["put_family"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/families/{family}/admissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Admissions
         * @description The apps admitted to a family, as far as you can see them.
         */
        get: operations["list_admissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/families/{family}/admissions/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Admission
         * @description An app's place in a family.
         */
        get: operations["get_admission"];
        /**
         * Admit App
         * @description Admit an app to a family, with the most keys its versions may use. Its publisher is told.
         */
        put: operations["admit_app"];
        post?: never;
        /**
         * Withdraw App
         * @description Withdraw an app from a family. Policy refuses its versions then; its publisher is told.
         */
        delete: operations["withdraw_app"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grants/{grant}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Access Grant
         * @description One access grant. With `wait`, answers once the node has confirmed it, or said why not.
         */
        get: operations["get_access_grant"];
        put?: never;
        post?: never;
        /**
         * End Access Grant
         * @description End a grant: the person is off the machine within seconds, open sessions included.
         */
        delete: operations["end_access_grant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grants/{grant}/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue Certificate
         * @description Certify your SSH key for minutes, and learn where the machine is and which keys it has.
         */
        post: operations["issue_certificate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List All Instances
         * @description What is deployed wherever you may look.
         */
        get: operations["list_all_instances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Instance
         * @description One instance: its state, its health, and what it is to be.
         */
        get: operations["get_instance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Actions
         * @description The actions that the instance's version declares.
         */
        get: operations["list_actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/actions/{action}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run Action
         * @description Have an app do something that it declares. Needs the key that the action declares, too.
         *
         *     It is an operation. With `Prefer: wait=10` you get it at its end, with 200, if it ends in so
         *     many seconds; with 202 otherwise.
         */
        post: operations["run_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/configure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Configure Instance
         * @description Give an instance another configuration.
         */
        post: operations["configure_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/decommission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decommission Instance
         * @description Take an instance down. The operation's residue says what is left of it, if anything is.
         */
        post: operations["decommission_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Members
         * @description The members of an instance.
         *
         *     Whoever has read them all goes on with `changed_since` and `removed`: from a little before the
         *     latest `updated_at` they know, since what began earlier may be written later.
         */
        get: operations["list_members"];
        put?: never;
        /**
         * Add Members
         * @description Add members, on machines of yours or on some that the platform allocates. Returns at once.
         */
        post: operations["add_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/members/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drain Members
         * @description Let members take nothing new, and empty them. Returns at once.
         */
        post: operations["drain_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/members/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove Members
         * @description Empty members and take them out of the instance. Returns at once.
         */
        post: operations["remove_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/members/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume Members
         * @description Let drained members work again. Returns at once.
         */
        post: operations["resume_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/observed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put Observed
         * @description Say what you see of an instance: health and conditions. It changes no state.
         *
         *     Needs the token of a watch or of an operation of the instance.
         */
        put: operations["put_observed"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Instance Operations
         * @description What was asked of an instance and its members, and what became of it.
         */
        get: operations["list_instance_operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan Change
         * @description What a change would do: members, effects, policy, cost, losses. Nothing is changed.
         */
        post: operations["plan_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/principals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Principals
         * @description Who may be on the machines of an instance: logins, uids, projects.
         *
         *     Needs the token of a watch or of an operation of the instance, and the scope `principals.read`.
         */
        get: operations["list_principals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/probes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Probes
         * @description Run commands on members that look and change nothing, as the manifest declares them.
         *
         *     Needs the token of a watch. The tasks come in the order of the request; wait for each with
         *     `GET /v1/tasks/{task}`. One that has not ended yet is not begun again.
         */
        post: operations["create_probes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repair Instance
         * @description Let the app make an instance what it should be. It yields to everything else.
         */
        post: operations["repair_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/repair-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request Repair
         * @description Ask for a repair of the instance that you watch, since a watch changes nothing.
         *
         *     Needs the token of a watch and the scope `instance.repair`. There are so many in an hour and no
         *     more, and policy can switch it off. Asked again for the same reason, it is the one that has not
         *     ended.
         */
        post: operations["request_repair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart Instance
         * @description Stop and start an instance.
         */
        post: operations["restart_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Revisions
         * @description What the instance was to be, each time that changed; newest first.
         */
        get: operations["list_revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rollback Instance
         * @description Bring an instance back to what it was. What that loses has to be accepted.
         */
        post: operations["rollback_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate Credentials
         * @description Let the app replace the secrets of an instance.
         */
        post: operations["rotate_credentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start Instance
         * @description Start an instance that was stopped.
         */
        post: operations["start_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop Instance
         * @description Stop an instance. Its machines and what is on them stay.
         */
        post: operations["stop_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upgrade Instance
         * @description Bring an instance to another version.
         */
        post: operations["upgrade_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Views
         * @description The views that the instance's version declares.
         */
        get: operations["list_views"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance}/views/{view}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get View
         * @description A page of a view's rows. Needs the key that the view declares, too.
         */
        get: operations["get_view"];
        /**
         * Put View
         * @description Publish rows of a view. Needs the token of a watch or of an operation of the instance.
         *
         *     Rows that are sent again replace those of the same key. With `complete`, rows that were not sent
         *     in this generation go. Of more than 10,000 rows the freshest are kept.
         */
        put: operations["put_view"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Me
         * @description Who you are to this platform and what you hold where.
         */
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change Password
         * @description Change your password. Your other sessions and your other tokens end.
         */
        post: operations["change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{member}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Member
         * @description One member, also after it is gone.
         */
        get: operations["get_member"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{member}/replace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace Member
         * @description Let another machine take a member's place, also that of a host that is lost.
         */
        post: operations["replace_member"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memberships/{membership}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Membership
         * @description One membership.
         */
        get: operations["get_membership"];
        put?: never;
        post?: never;
        /**
         * Remove Membership
         * @description Take somebody's role away.
         */
        delete: operations["remove_membership"];
        options?: never;
        head?: never;
        /**
         * Update Membership
         * @description Give somebody another role.
         */
        patch: operations["update_membership"];
        trace?: never;
    };
    "/v1/node-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Nodes
         * @description Announce many machines at once, and get the line of each.
         */
        post: operations["create_nodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Nodes
         * @description The platform's machines.
         */
        get: operations["list_nodes"];
        put?: never;
        /**
         * Create Node
         * @description Announce a machine. With an agent it is `enrolling` until its host has enrolled.
         */
        post: operations["create_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Node
         * @description One machine: its state, what holds it, what it is made of.
         */
        get: operations["get_node"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update Node
         * @description Rename, label or cordon a machine, or say where it is reached.
         */
        patch: operations["update_node"];
        trace?: never;
    };
    "/v1/nodes/{node}/allocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Node Allocation
         * @description Give a project one named node, within its quotas and overlays. The tenant sees who did.
         */
        post: operations["create_node_allocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/enrolments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Enrolments
         * @description The lines that were issued for a machine, and what became of them.
         */
        get: operations["list_enrolments"];
        put?: never;
        /**
         * Issue Enrolment
         * @description The line that makes a host this node. Lines issued before and not used stop working.
         */
        post: operations["issue_enrolment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Maintain Node
         * @description Take a machine out that nobody holds. `resume` brings it back.
         */
        post: operations["maintain_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quarantine Node
         * @description Take a machine out that something is wrong with, held or not. It gets no work meanwhile.
         */
        post: operations["quarantine_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/reimage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reimage Node
         * @description Have a machine imaged anew. The provisioner's command does it; without one, you do.
         */
        post: operations["reimage_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume Node
         * @description Bring a machine back from maintenance or quarantine.
         */
        post: operations["resume_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{node}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire Node
         * @description Take a machine out for good. Its agent stops, its name may be given again.
         */
        post: operations["retire_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Oidc Providers
         * @description All sign-in providers. Platform admins only.
         */
        get: operations["list_oidc_providers"];
        put?: never;
        /**
         * Create Oidc Provider
         * @description Add a sign-in provider. Register the callback address of the answer there.
         */
        post: operations["create_oidc_provider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc-providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Oidc Provider
         * @description One sign-in provider. Platform admins only.
         */
        get: operations["get_oidc_provider"];
        put?: never;
        post?: never;
        /**
         * Delete Oidc Provider
         * @description Remove a sign-in provider. Accounts and open sessions stay.
         */
        delete: operations["delete_oidc_provider"];
        options?: never;
        head?: never;
        /**
         * Update Oidc Provider
         * @description Rename a sign-in provider, switch it on or off, give it another client or other domains.
         */
        patch: operations["update_oidc_provider"];
        trace?: never;
    };
    "/v1/oidc-providers/{provider}/identities/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Link Oidc Identity
         * @description Let an identity of the provider open an account. Replaces the one that did before.
         *
         *     For an account in use give a reason: the person's orgs see it.
         */
        put: operations["link_oidc_identity"];
        post?: never;
        /**
         * Unlink Oidc Identity
         * @description Forget which identity of the provider opens an account.
         */
        delete: operations["unlink_oidc_identity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Openapi
         * @description The OpenAPI document of this API.
         */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Operations
         * @description The operations that you may see, newest first; of one project, where you name it.
         */
        get: operations["list_operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Operation
         * @description One operation: who wants it, why, how far it is, and what can be done about it.
         *
         *     With `wait`, answers when it has changed since the version that you know, or has ended.
         */
        get: operations["get_operation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/abandon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Abandon Operation
         * @description End an operation without its controller. Nobody knows then what is left on its machines.
         */
        post: operations["abandon_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel Operation
         * @description Stop an operation and take back what it did. One that nobody began ends at once.
         */
        post: operations["cancel_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Operation Children
         * @description The parts of an operation: one for each member.
         */
        get: operations["list_operation_children"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End Operation
         * @description End a session. Its token opens nothing from then on, and its tasks are stopped.
         */
        post: operations["end_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew Operation
         * @description Let a session go on for longer. The token stays the same.
         */
        post: operations["renew_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report Operation
         * @description Say what has become of an operation, and keep it. Needs the operation's token.
         */
        post: operations["report_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume Operation
         * @description Let a blocked operation go on, now that a person has looked.
         */
        post: operations["resume_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry Operation
         * @description Try a failed operation again. Steps that were done are not done again.
         */
        post: operations["retry_operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Operation Secret
         * @description Put a secret into custody for tasks of your operation to name. Needs the operation's token.
         *
         *     The value goes to nodes alone, once per node; nobody can read it back.
         */
        post: operations["create_operation_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Operation Steps
         * @description What was done, step by step, as the controller wrote it down.
         */
        get: operations["list_operation_steps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{operation}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Operation Tasks
         * @description The tasks of an operation. With `wait`, answers when all have ended, or time is up.
         */
        get: operations["list_operation_tasks"];
        put?: never;
        /**
         * Create Tasks
         * @description Have things done on machines of your operation. Needs the operation's token.
         *
         *     All are taken, or none. A key that was used before, for the same wish on the same machine,
         *     gives you the task that it named.
         */
        post: operations["create_tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Orgs
         * @description The orgs you belong to; for platform admins, all orgs.
         */
        get: operations["list_orgs"];
        put?: never;
        /**
         * Create Org
         * @description Create an org and name its first tenant admin.
         */
        post: operations["create_org"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Org
         * @description One org.
         */
        get: operations["get_org"];
        put?: never;
        post?: never;
        /**
         * Delete Org
         * @description Delete an org that holds no project. Platform admins only.
         */
        delete: operations["delete_org"];
        options?: never;
        head?: never;
        /**
         * Update Org
         * @description Rename an org.
         */
        patch: operations["update_org"];
        trace?: never;
    };
    "/v1/orgs/{org}/logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Logins
         * @description Under which names and numbers people are known on the org's machines.
         */
        get: operations["list_logins"];
        put?: never;
        /**
         * Create Login
         * @description Give somebody their login on the org's machines. It is theirs for good.
         */
        post: operations["create_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org}/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Org Memberships
         * @description Who has a role in the whole org.
         */
        get: operations["list_org_memberships"];
        put?: never;
        /**
         * Add Org Membership
         * @description Give somebody a role in a whole org. Who has no account gets an invited one.
         */
        post: operations["add_org_membership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org}/overlay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Org Overlay
         * @description An org's layer.
         */
        get: operations["get_org_overlay"];
        /**
         * Put Org Overlay
         * @description Write an org's layer. The answer lists what it takes away from those below.
         */
        put: operations["put_org_overlay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org}/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Projects
         * @description The projects of an org that you may see.
         */
        get: operations["list_projects"];
        put?: never;
        /**
         * Create Project
         * @description Create a project in an org.
         */
        post: operations["create_project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{org}/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Source
         * @description Let artifacts come from a registry or a web server. The platform's org shares with all.
         */
        post: operations["create_source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Plan
         * @description A plan, as it was made.
         */
        get: operations["get_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/allocations/{allocation}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Force Release Allocation
         * @description Break-glass: take a machine back without cleaning it. The node is quarantined.
         */
        post: operations["force_release_allocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/instances/{instance}/abandon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Abandon Instance
         * @description Break-glass: give a tenant's instance up without its app. Its machines are dirty then.
         */
        post: operations["abandon_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/instances/{instance}/decommission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Force Decommission Instance
         * @description Break-glass: take a tenant's instance down by its app. The tenant sees who did, and why.
         */
        post: operations["force_decommission_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/orgs/{org}/overlay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Tenant Overlay
         * @description The platform's layer for one org, which is above the org's own.
         */
        get: operations["get_tenant_overlay"];
        /**
         * Put Tenant Overlay
         * @description Write the platform's layer for one org. The answer counts what it takes away there.
         */
        put: operations["put_tenant_overlay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/ssh-authorities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Ssh Authorities
         * @description The keys that sign people's certificates, the newest first. One page holds them all.
         */
        get: operations["list_ssh_authorities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/ssh-authorities/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate Ssh Authority
         * @description Sign people's certificates with a new key. Nodes learn of it within seconds.
         */
        post: operations["rotate_ssh_authority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platform/triage/{correlation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open Triage
         * @description Break-glass: look at what came of a tenant's request. The tenant sees who did, and why.
         */
        post: operations["open_triage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain Policy
         * @description Whether something would be allowed, what each layer says, and who could change it.
         */
        post: operations["explain_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/global": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Global Overlay
         * @description The platform's layer, which is above all others.
         */
        get: operations["get_global_overlay"];
        /**
         * Put Global Overlay
         * @description Write the platform's layer. The answer counts what it takes away in each org.
         */
        put: operations["put_global_overlay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Project
         * @description One project.
         */
        get: operations["get_project"];
        put?: never;
        post?: never;
        /**
         * Delete Project
         * @description Delete a project that holds no machine. Its accounts stop, its apps are closed, at once.
         */
        delete: operations["delete_project"];
        options?: never;
        head?: never;
        /**
         * Update Project
         * @description Rename a project.
         */
        patch: operations["update_project"];
        trace?: never;
    };
    "/v1/projects/{project}/access-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Access Credentials
         * @description The access credentials of a project: public keys and fingerprints.
         */
        get: operations["list_access_credentials"];
        put?: never;
        /**
         * Create Access Credential
         * @description Put an SSH key for hosts without agent into custody, or have one made. It never comes out.
         */
        post: operations["create_access_credential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/allocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Allocations
         * @description The machines of a project, those that were given back too.
         */
        get: operations["list_allocations"];
        put?: never;
        /**
         * Create Allocations
         * @description Ask for machines by SKU and region. The platform chooses them; all of them, or none.
         */
        post: operations["create_allocations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/app-operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List App Operators
         * @description The app operators that a project registered.
         */
        get: operations["list_app_operators"];
        put?: never;
        /**
         * Register App Operator
         * @description Register a service account as an operator of an app.
         *
         *     The publisher's operators serve whoever chooses them; another project's serve that project.
         */
        post: operations["register_app_operator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create App
         * @description Register an app in the catalog. The project is its publisher from then on.
         */
        post: operations["create_app"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Artifacts
         * @description The artifacts of a project.
         */
        get: operations["list_artifacts"];
        put?: never;
        /**
         * Create Artifact
         * @description Announce bytes that you will upload, or register bytes that lie at a source.
         *
         *     Both are `uploading` until you complete them.
         */
        post: operations["create_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Entitlements
         * @description The apps that a project is entitled to.
         */
        get: operations["list_entitlements"];
        put?: never;
        /**
         * Create Entitlement
         * @description Entitle a project to an app, accepting what the app asks for.
         */
        post: operations["create_entitlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Instances
         * @description What is deployed in a project.
         */
        get: operations["list_instances"];
        put?: never;
        /**
         * Create Instance
         * @description Deploy an app into a project. Returns at once; watch its last operation.
         */
        post: operations["create_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/memberships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Project Memberships
         * @description Who has a role in the project itself.
         */
        get: operations["list_project_memberships"];
        put?: never;
        /**
         * Add Project Membership
         * @description Give somebody a role in a project. Who has no account gets an invited one.
         */
        post: operations["add_project_membership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/node-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Node Sessions
         * @description The sessions on a project's machines, newest first.
         */
        get: operations["list_node_sessions"];
        put?: never;
        /**
         * Create Node Session
         * @description Open a session to work on machines of the project, for a reason and a time.
         *
         *     It is an operation. Its token is shown once, and opens exactly these machines until the end.
         */
        post: operations["create_node_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/offers/{app}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Offer
         * @description What a project would get with an app, and what its tenant would accept.
         */
        get: operations["get_offer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/overlay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Project Overlay
         * @description A project's layer.
         */
        get: operations["get_project_overlay"];
        /**
         * Put Project Overlay
         * @description Write a project's layer. The answer lists what it takes away from those below.
         */
        put: operations["put_project_overlay"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan Instance
         * @description What a deployment would do: members, policy, cost. Nothing is changed.
         */
        post: operations["plan_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Project Policy
         * @description What all layers above and in a project leave, and which layer each limit comes from.
         */
        get: operations["get_project_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/publisher-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Publisher Keys
         * @description The publisher keys of a project, revoked ones too.
         */
        get: operations["list_publisher_keys"];
        put?: never;
        /**
         * Create Publisher Key
         * @description Register the public half of a key that the project signs artifacts with.
         */
        post: operations["create_publisher_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/pulls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Pull
         * @description Ask for a credential to pull one artifact of a version, where policy allows it.
         *
         *     It is good for minutes, for you alone, and for this artifact alone.
         */
        post: operations["create_pull"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{project}/service-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Service Accounts
         * @description The service accounts of a project.
         */
        get: operations["list_service_accounts"];
        put?: never;
        /**
         * Create Service Account
         * @description Make a service account in a project, with exactly the permissions you list.
         */
        post: operations["create_service_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/publisher-keys/{publisher_key}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke Publisher Key
         * @description Revoke a key. What it alone has signed is no longer trusted, at once.
         */
        post: operations["revoke_publisher_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pulls/{pull}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Pull Content
         * @description The bytes of the artifact, or those that `Range` names.
         *
         *     Trust, entitlement, policy and source are judged again at each request. Compare the bytes with
         *     the digest, which is the `ETag` too, before you use them.
         */
        get: operations["get_pull_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Regions
         * @description All regions, retired ones too.
         */
        get: operations["list_regions"];
        put?: never;
        /**
         * Create Region
         * @description Add a place where machines stand.
         */
        post: operations["create_region"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/regions/{region}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Region
         * @description One region.
         */
        get: operations["get_region"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update Region
         * @description Rename a region, retire it, or take it back into use.
         */
        patch: operations["update_region"];
        trace?: never;
    };
    "/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Roles
         * @description The built-in roles and the permission keys that each holds.
         */
        get: operations["list_roles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/{account}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Service Account
         * @description One service account.
         */
        get: operations["get_service_account"];
        put?: never;
        post?: never;
        /**
         * Delete Service Account
         * @description Delete a service account. Its tokens stop working at once.
         */
        delete: operations["delete_service_account"];
        options?: never;
        head?: never;
        /**
         * Update Service Account
         * @description Rename a service account, change its permissions, disable or enable it.
         */
        patch: operations["update_service_account"];
        trace?: never;
    };
    "/v1/service-accounts/{account}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Service Account Keys
         * @description The keys of a service account, without their secrets.
         */
        get: operations["list_service_account_keys"];
        put?: never;
        /**
         * Create Service Account Key
         * @description Add a key: your Ed25519 public key, or a secret made for you and shown once.
         */
        post: operations["create_service_account_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service-accounts/{account}/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Service Account Key
         * @description Revoke a key. Tokens minted with it stop working within seconds.
         */
        delete: operations["revoke_service_account_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sessions
         * @description Your open browser sessions.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End Session
         * @description End one of your sessions; your own is signing out.
         */
        delete: operations["end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skus": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Skus
         * @description All classes of machines, retired ones too.
         */
        get: operations["list_skus"];
        put?: never;
        /**
         * Create Sku
         * @description Add a class of machines with its list price per hour.
         */
        post: operations["create_sku"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skus/{sku}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Sku
         * @description One class of machines.
         */
        get: operations["get_sku"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update Sku
         * @description Rename a class of machines, change its price from now on, or retire it.
         */
        patch: operations["update_sku"];
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sources
         * @description Sources of your orgs, and those that the platform shares with all.
         */
        get: operations["list_sources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{source}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Source
         * @description One source, without its credential.
         */
        get: operations["get_source"];
        put?: never;
        post?: never;
        /**
         * Delete Source
         * @description Remove a source that no artifact comes from. Its credential goes with it.
         */
        delete: operations["delete_source"];
        options?: never;
        head?: never;
        /**
         * Update Source
         * @description Rename a source, move it, replace or clear its credential, switch it on or off.
         */
        patch: operations["update_source"];
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Status
         * @description Whether the platform can serve: it is up and its database answers.
         */
        get: operations["get_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Task
         * @description One task. With `wait`, answers when it has ended, or time is up.
         */
        get: operations["get_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel Task
         * @description Stop a task. One that a machine has begun ends when its whole process tree is gone.
         */
        post: operations["cancel_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Task Output
         * @description Output of a task, as far as it has come. With `wait`, answers as soon as there is more.
         *
         *     `Moorage-Next-Offset` says where the next bytes begin, `Moorage-Ended` whether none will come.
         */
        get: operations["get_task_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triage/{correlation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Triage
         * @description What came of one request: operations, steps, tasks, events and audit in one timeline.
         *
         *     Every answer and every error carries the id. Where something failed, the cause stands first, and
         *     what can be done about it.
         */
        get: operations["get_triage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report Usage
         * @description Say what was used, in meters that the manifest declares. A key counts once.
         *
         *     Needs the token of a watch or of an operation, and the scope `usage.report`.
         */
        post: operations["report_usage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Users
         * @description All accounts of people. Platform admins only.
         */
        get: operations["list_users"];
        put?: never;
        /**
         * Create User
         * @description Make an account for a person.
         *
         *     They set a password with a one-time code, or sign in by a provider.
         */
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get User
         * @description One account. Platform admins only.
         */
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update User
         * @description Rename, disable or enable an account.
         */
        patch: operations["update_user"];
        trace?: never;
    };
    "/v1/users/{user}/password-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue Password Code
         * @description Issue a one-time code with which the person sets a password.
         *
         *     Break-glass where the person has used the account and has roles in orgs: needs a reason, and
         *     those orgs see it.
         */
        post: operations["issue_password_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Webhooks
         * @description The webhooks of an org, or of one of its projects, that you may see.
         */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Create Webhook
         * @description Have events of an org or a project pushed to a URL. The signing secret is shown once.
         */
        post: operations["create_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Webhook
         * @description One webhook, without its secret.
         */
        get: operations["get_webhook"];
        put?: never;
        post?: never;
        /**
         * Delete Webhook
         * @description Delete a webhook. What waits to be delivered to it is not sent any more.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        /**
         * Update Webhook
         * @description Point a webhook elsewhere, ask for other events, disable or enable it.
         */
        patch: operations["update_webhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhook}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Deliveries
         * @description What was or is to be sent to a webhook, newest event first.
         */
        get: operations["list_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Delivery
         * @description One delivery.
         */
        get: operations["get_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver
         * @description Send an ended delivery once more. Returns at once; watch `status`.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook}/secret-rotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate Webhook Secret
         * @description Make a new signing secret, shown once. For `overlap_hours` the old one signs too.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccessCredentialCreate */
        AccessCredentialCreate: {
            /** Name */
            name: string;
            /** Private Key */
            private_key?: string | null;
            /** Username */
            username: string;
        };
        /** AccessCredentialRead */
        AccessCredentialRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Fingerprint */
            fingerprint: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Previous Until */
            previous_until: string | null;
            /** Project Id */
            project_id: string;
            /** Public Key */
            public_key: string;
            /** Revoked At */
            revoked_at: string | null;
            /** Rotated At */
            rotated_at: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Username */
            username: string;
            /** Version */
            version: number;
        };
        /** AccessGrantCreate */
        AccessGrantCreate: {
            /**
             * Expires In
             * @default 28800
             */
            expires_in: number;
            /**
             * Forwarding
             * @default false
             */
            forwarding: boolean;
            /** Reason */
            reason?: string | null;
            /**
             * Sudo
             * @default false
             */
            sudo: boolean;
            /** User */
            user?: string | null;
        };
        /** AccessGrantRead */
        AccessGrantRead: {
            /** Allocation Id */
            allocation_id: string;
            /** Carried Out */
            carried_out: boolean;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Ended At */
            ended_at: string | null;
            /** Ended Because */
            ended_because: string | null;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Forwarding */
            forwarding: boolean;
            /** Granted By */
            granted_by: string;
            /** Granted By Name */
            granted_by_name: string | null;
            /** Id */
            id: string;
            /** Login */
            login: string;
            /** Org Id */
            org_id: string;
            /** Problem */
            problem: string | null;
            /** Project Id */
            project_id: string;
            /** Reason */
            reason: string | null;
            /** Sudo */
            sudo: boolean;
            /** Uid */
            uid: number;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** User Id */
            user_id: string;
            /** User Name */
            user_name: string | null;
            /** Version */
            version: number;
        };
        /** AccessTokenCreate */
        AccessTokenCreate: {
            /**
             * Expires In
             * @description Seconds from now.
             */
            expires_in: number;
            /** Name */
            name: string;
            /** Org */
            org?: string | null;
            /** Permissions */
            permissions?: string[] | null;
            /** Project */
            project?: string | null;
        };
        /** AccessTokenIssued */
        AccessTokenIssued: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string | null;
            /** Permissions */
            permissions: string[] | null;
            /** Project Id */
            project_id: string | null;
            /** Revoked At */
            revoked_at: string | null;
            /** Token */
            token: string;
        };
        /** AccessTokenRead */
        AccessTokenRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string | null;
            /** Permissions */
            permissions: string[] | null;
            /** Project Id */
            project_id: string | null;
            /** Revoked At */
            revoked_at: string | null;
        };
        /** ActionList */
        ActionList: {
            /** Items */
            items: components["schemas"]["ActionRead"][];
        };
        /** ActionRead */
        ActionRead: {
            /** Allowed */
            allowed: boolean;
            /** Component */
            component: string | null;
            /** Description */
            description: string | null;
            /** Input */
            input: {
                [key: string]: unknown;
            } | null;
            /**
             * Lock
             * @enum {string}
             */
            lock: "none" | "member" | "instance";
            /** Name */
            name: string;
            /** Output */
            output: {
                [key: string]: unknown;
            } | null;
            /** Permission */
            permission: string;
            /** Title */
            title: string;
        };
        /** ActionRun */
        ActionRun: {
            /** Input */
            input?: {
                [key: string]: unknown;
            };
            /** Member */
            member?: string | null;
            /** Reason */
            reason?: string | null;
        };
        /** AdminAppoint */
        AdminAppoint: {
            /** Email */
            email: string;
            /** Reason */
            reason: string;
        };
        /** AdmissionRead */
        AdmissionRead: {
            /** App Id */
            app_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Family */
            family: string;
            /** Keys */
            keys: string[];
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** AdmissionWrite */
        AdmissionWrite: {
            /** Keys */
            keys: string[];
        };
        /** AgentBinding */
        AgentBinding: {
            /** Allocation Id */
            allocation_id: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
        };
        /** AgentEnrol */
        AgentEnrol: {
            /** Agent Version */
            agent_version: string;
            /** Assertion */
            assertion: string;
            /** Boot Id */
            boot_id?: string | null;
            /** Hostname */
            hostname: string;
            inventory: components["schemas"]["Inventory"];
            /** Machine Id */
            machine_id?: string | null;
            public_key: components["schemas"]["PublicKeyP256"];
            /** Token */
            token: string;
        };
        /** AgentEnrolled */
        AgentEnrolled: {
            /** Expires In */
            expires_in: number;
            /** Name */
            name: string;
            /** Node Id */
            node_id: string;
            /** Nonce */
            nonce: string;
            /** Token */
            token: string;
        };
        /** AgentError */
        AgentError: {
            /** Code */
            code: string;
            /** Message */
            message: string;
        };
        /** AgentEvidence */
        AgentEvidence: {
            /** Items */
            items: components["schemas"]["AgentEvidenceItem"][];
        };
        /** AgentEvidenceItem */
        AgentEvidenceItem: {
            /** At */
            at?: string | null;
            /** Data */
            data: {
                [key: string]: string | number | boolean | null;
            };
            /** Key */
            key: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "ssh.login" | "ssh.logout" | "access.ended" | "task.late";
        };
        /** AgentHold */
        AgentHold: {
            /**
             * State
             * @enum {string}
             */
            state: "received" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "unknown";
            /** Task */
            task: string;
        };
        /** AgentOutcome */
        AgentOutcome: {
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "recorded" | "repeated" | "late" | "refused";
            /** Task */
            task: string;
        };
        /** AgentOutcomes */
        AgentOutcomes: {
            /** Results */
            results: components["schemas"]["AgentOutcome"][];
        };
        /** AgentOutput */
        AgentOutput: {
            /** Next Offset */
            next_offset: number;
        };
        /** AgentPoll */
        AgentPoll: {
            /** Agent Version */
            agent_version: string;
            /** Boot Id */
            boot_id?: string | null;
            /** Holds */
            holds?: components["schemas"]["AgentHold"][];
            inventory?: components["schemas"]["Inventory"] | null;
            /** Run Id */
            run_id: string;
            /** Trust */
            trust?: string | null;
            /**
             * Wait
             * @default 15
             */
            wait: number;
        };
        /** AgentPolled */
        AgentPolled: {
            binding: components["schemas"]["AgentBinding"] | null;
            /** Cancel */
            cancel: string[];
            /** Forget */
            forget: string[];
            /**
             * Server Time
             * Format: date-time
             */
            server_time: string;
            /** Tasks */
            tasks: components["schemas"]["AgentTask"][];
            /** Trust */
            trust: string | null;
            /** Want Inventory */
            want_inventory: boolean;
        };
        /** AgentProve */
        AgentProve: {
            /** Assertion */
            assertion: string;
            /** Node Id */
            node_id: string;
        };
        /** AgentProved */
        AgentProved: {
            /** Expires In */
            expires_in: number;
            /** Nonce */
            nonce: string;
            /**
             * Server Time
             * Format: date-time
             */
            server_time: string;
            /** Token */
            token: string;
        };
        /** AgentReport */
        AgentReport: {
            /** At */
            at?: string | null;
            /** Changed */
            changed?: boolean | null;
            error?: components["schemas"]["AgentError"] | null;
            /** Fence */
            fence: number;
            /** Result */
            result?: {
                [key: string]: unknown;
            } | null;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "unknown";
            /** Task */
            task: string;
        };
        /** AgentReports */
        AgentReports: {
            /** Reports */
            reports: components["schemas"]["AgentReport"][];
        };
        /** AgentTaken */
        AgentTaken: {
            /** Dropped */
            dropped: number;
            /** Recorded */
            recorded: number;
        };
        /** AgentTask */
        AgentTask: {
            /** Allocation Id */
            allocation_id: string | null;
            /** Correlation Id */
            correlation_id: string;
            /** Fence */
            fence: number;
            /** Id */
            id: string;
            /** Input */
            input: {
                [key: string]: unknown;
            };
            /** Key */
            key: string;
            /** Kind */
            kind: string;
            /** Operation Id */
            operation_id: string;
            /** Output Limit */
            output_limit: number;
            /** Run As */
            run_as: string;
            /** Secrets */
            secrets: {
                [key: string]: string;
            };
            /** Timeout */
            timeout: number;
            /** Traceparent */
            traceparent: string | null;
        };
        /** AllocationRead */
        AllocationRead: {
            /** Correlation Id */
            correlation_id: string;
            cost: components["schemas"]["CostRead"];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Dirty */
            dirty: string[];
            /** Gpus */
            gpus: number;
            /** Held From */
            held_from: string | null;
            /** Held Until */
            held_until: string | null;
            /** Id */
            id: string;
            /** Instance Id */
            instance_id: string | null;
            /** Instance Name */
            instance_name: string | null;
            /** Message */
            message: string | null;
            /** Metadata */
            metadata: {
                [key: string]: unknown;
            };
            /** Name */
            name: string;
            node: components["schemas"]["HostRead"] | null;
            /** Node Name */
            node_name: string;
            /** Org Id */
            org_id: string;
            placement: components["schemas"]["PlacementRead"];
            /** Project Id */
            project_id: string;
            /** Region */
            region: string;
            /** Release Operation Id */
            release_operation_id: string | null;
            /** Requested By */
            requested_by: string;
            /** Requested By Name */
            requested_by_name: string | null;
            /** Scheduler Type */
            scheduler_type: string | null;
            /** Setup Operation Id */
            setup_operation_id: string | null;
            /** Sku */
            sku: string;
            /**
             * Status
             * @enum {string}
             */
            status: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** AllocationRelease */
        AllocationRelease: {
            /** Reason */
            reason?: string | null;
        };
        /**
         * AllocationRequest
         * @description Machines of one SKU in one region: all of them, or none.
         */
        AllocationRequest: {
            /**
             * Count
             * @default 1
             */
            count: number;
            /** Metadata */
            metadata?: {
                [key: string]: unknown;
            };
            /** Name */
            name?: string | null;
            /** Region */
            region: string;
            /** Scheduler Type */
            scheduler_type?: string | null;
            /** Sku */
            sku: string;
            /**
             * Strategy
             * @default spread
             * @enum {string}
             */
            strategy: "spread" | "pack";
        };
        /** AllocationsPlaced */
        AllocationsPlaced: {
            /** Allocations */
            allocations: components["schemas"]["AllocationRead"][];
            placement: components["schemas"]["PlacedRead"];
        };
        /**
         * AllocationUpdate
         * @description What is left out stays as it is.
         */
        AllocationUpdate: {
            /** Metadata */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** Name */
            name?: string | null;
            /** Scheduler Type */
            scheduler_type?: string | "" | null;
        };
        /** AppCreate */
        AppCreate: {
            /** Name */
            name: string;
            /** Slug */
            slug: string;
            /** Summary */
            summary: string;
            /**
             * Visibility
             * @default project
             * @enum {string}
             */
            visibility: "project" | "org" | "platform";
        };
        /** AppOperatorCreate */
        AppOperatorCreate: {
            /** App */
            app: string;
            /** Name */
            name: string;
            /** Service Account */
            service_account: string;
        };
        /** AppOperatorRead */
        AppOperatorRead: {
            /** App Id */
            app_id: string;
            /** App Slug */
            app_slug: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Listening */
            listening: boolean;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /**
             * Serves
             * @enum {string}
             */
            serves: "publisher" | "project";
            /** Service Account Id */
            service_account_id: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** AppRead */
        AppRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Publisher Name */
            publisher_name: string | null;
            /** Slug */
            slug: string;
            /** Summary */
            summary: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
            /**
             * Visibility
             * @enum {string}
             */
            visibility: "project" | "org" | "platform";
        };
        /** AppUpdate */
        AppUpdate: {
            /** Name */
            name?: string | null;
            /** Summary */
            summary?: string | null;
            /** Visibility */
            visibility?: ("project" | "org" | "platform") | null;
        };
        /**
         * ArtifactBrief
         * @description Bytes that the instance's version needs.
         */
        ArtifactBrief: {
            /** Digest */
            digest: string;
            /** Name */
            name: string;
            /** Size */
            size: number;
        };
        /** ArtifactCreate */
        ArtifactCreate: {
            /** Digest */
            digest: string;
            /**
             * Kind
             * @default blob
             * @enum {string}
             */
            kind: "blob" | "oci";
            /** Location */
            location?: string | null;
            /**
             * Media Type
             * @default application/octet-stream
             */
            media_type: string;
            /** Name */
            name: string;
            /** Size */
            size: number;
            /** Source */
            source?: string | null;
        };
        /** ArtifactRead */
        ArtifactRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Digest */
            digest: string;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Lifecycle */
            lifecycle: string;
            /** Location */
            location: string | null;
            /** Media Type */
            media_type: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Received */
            received?: number | null;
            /** Size */
            size: number;
            /** Source Id */
            source_id: string | null;
            /** Trust */
            trust: string;
            /** Trust Reason */
            trust_reason: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** ArtifactUpdate */
        ArtifactUpdate: {
            /**
             * Lifecycle
             * @enum {string}
             */
            lifecycle: "published" | "deprecated" | "retired";
        };
        /**
         * AuditKeyRead
         * @description A public key that seals are checked with.
         */
        AuditKeyRead: {
            /** Id */
            id: string;
            /** Pem */
            pem: string;
            /** Raw */
            raw: string;
        };
        /** BreakGlass */
        BreakGlass: {
            /** Reason */
            reason: string;
        };
        /**
         * BreakRead
         * @description Something below the layer that it takes away.
         *
         *     Those who run the platform see how much of which org; the rest is the org's.
         */
        BreakRead: {
            /** App */
            app: string | null;
            /** Dimension */
            dimension: string | null;
            /** Entitlement Id */
            entitlement_id: string | null;
            /** Instead */
            instead: string | null;
            /**
             * Kind
             * @enum {string}
             */
            kind: "entitlement" | "overlay" | "layer";
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string | null;
            /** Sentence */
            sentence: string;
            /** Value */
            value: string | null;
            /** Version */
            version: string | null;
        };
        /** BreaksRead */
        BreaksRead: {
            /** Complete */
            complete: boolean;
            /** Count */
            count: number;
            /** Items */
            items: components["schemas"]["BreakRead"][];
        };
        /**
         * CancelBrief
         * @description An operation that you hold, and are asked to take back.
         */
        CancelBrief: {
            /** Operation */
            operation: string;
            /** Reason */
            reason: string | null;
        };
        /**
         * CauseRead
         * @description Why it failed: the innermost thing that did.
         */
        CauseRead: {
            /** Code */
            code: string;
            /** Exit Code */
            exit_code: number | null;
            /** Log */
            log: string[];
            /** Message */
            message: string;
            /** Operation Id */
            operation_id: string;
            /** Step */
            step: string | null;
            /** Task Id */
            task_id: string | null;
        };
        /**
         * ChangeBrief
         * @description What an operation makes of its instance. For the operation, each field of it is in the place
         *     of the instance's own.
         */
        ChangeBrief: {
            /** App Version */
            app_version: string;
            /** Artifacts */
            artifacts: components["schemas"]["ArtifactBrief"][];
            /** Config */
            config: {
                [key: string]: unknown;
            };
            previous: components["schemas"]["PreviousBrief"];
            /** Revision */
            revision: number;
            /** Version Id */
            version_id: string;
        };
        /**
         * ChangePlanWrite
         * @description What a change would do. What a kind does not take must be left out.
         */
        ChangePlanWrite: {
            /** Config */
            config?: {
                [key: string]: unknown;
            } | null;
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /**
             * Kind
             * @enum {string}
             */
            kind: "instance.configure" | "instance.upgrade" | "instance.rollback" | "instance.stop" | "instance.start" | "instance.restart" | "instance.decommission";
            override?: components["schemas"]["Override"] | null;
            /**
             * Preempt
             * @default false
             */
            preempt: boolean;
            /** To Revision */
            to_revision?: number | null;
            /** Version */
            version?: string | null;
        };
        /** ChannelRead */
        ChannelRead: {
            /**
             * Channel
             * @enum {string}
             */
            channel: "dev" | "staging" | "prod";
            /** Manifest Digest */
            manifest_digest: string;
            /** Number */
            number: string;
            /**
             * Status
             * @enum {string}
             */
            status: "draft" | "published" | "deprecated" | "retired";
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version Id */
            version_id: string;
        };
        /** ChildrenBrief */
        ChildrenBrief: {
            /** Failed */
            failed: number;
            /**
             * Succeeded
             * @default 0
             */
            succeeded: number;
            /** Total */
            total: number;
        };
        /** ChildrenRead */
        ChildrenRead: {
            /** Ended */
            ended: number;
            /** Failed */
            failed: number;
            /** Succeeded */
            succeeded: number;
            /** Total */
            total: number;
        };
        /** Claim */
        Claim: {
            /**
             * After
             * @default 0
             */
            after: number;
            /** App */
            app: string;
            /**
             * Capacity
             * @default 10
             */
            capacity: number;
            /** Holds */
            holds?: string[];
            /** Release */
            release?: string | null;
            /** Replica */
            replica: string;
            /**
             * Wait
             * @default 20
             */
            wait: number;
            /**
             * Watch Capacity
             * @default 0
             */
            watch_capacity: number;
            /** Watching */
            watching?: string[];
        };
        /** Claimed */
        Claimed: {
            /** Cancels */
            cancels: components["schemas"]["CancelBrief"][];
            /** Hints */
            hints: components["schemas"]["HintBrief"][];
            /** Instances */
            instances: components["schemas"]["InstanceBrief"][];
            /** Lost */
            lost: string[];
            /** Lost Watches */
            lost_watches: string[];
            /** Next */
            next: number;
            /** Operations */
            operations: components["schemas"]["OperationBrief"][];
            replica: components["schemas"]["ReplicaBrief"];
            /** Watches */
            watches: components["schemas"]["WatchBrief"][];
        };
        /**
         * CloudEvent
         * @description One event. Attribute names have no underscores because CloudEvents allows none.
         */
        CloudEvent: {
            /** Appinstanceid */
            appinstanceid: string | null;
            /** Appslug */
            appslug: string | null;
            /** Correlationid */
            correlationid: string;
            /** Data */
            data: {
                [key: string]: unknown;
            };
            /**
             * Datacontenttype
             * @constant
             */
            datacontenttype: "application/json";
            /** Dataschema */
            dataschema: string;
            /** Id */
            id: string;
            /** Orgid */
            orgid: string;
            /** Projectid */
            projectid: string | null;
            /** Sequence */
            sequence: string;
            /** Source */
            source: string;
            /**
             * Specversion
             * @constant
             */
            specversion: "1.0";
            /** Subject */
            subject: string;
            /** Subjectversion */
            subjectversion: number;
            /**
             * Time
             * Format: date-time
             */
            time: string;
            /** Traceparent */
            traceparent: string | null;
            /** Type */
            type: string;
        };
        /** ColumnRead */
        ColumnRead: {
            /** Name */
            name: string;
            /** Title */
            title: string;
            /**
             * Type
             * @enum {string}
             */
            type: "text" | "integer" | "number" | "boolean" | "time" | "duration" | "bytes";
        };
        /** ComponentBrief */
        ComponentBrief: {
            /** Desired */
            desired: number;
            /** Key */
            key: string;
        };
        /** ComponentRead */
        ComponentRead: {
            /** Current */
            current: number;
            /** Desired */
            desired: number;
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "progressing" | "unknown";
            /** Key */
            key: string;
            /** Ready */
            ready: number;
            /** Summary */
            summary: string | null;
        };
        /** ComponentSeen */
        ComponentSeen: {
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "progressing" | "unknown";
            /** Summary */
            summary?: string | null;
        };
        /** ConditionRead */
        ConditionRead: {
            /** Reason */
            reason?: string | null;
            /** Status */
            status: boolean;
            /** Type */
            type: string;
            /** Who Acts */
            who_acts?: string | null;
        };
        /**
         * ConditionSaid
         * @description Something about an instance that is so or is not.
         */
        ConditionSaid: {
            /** Message */
            message?: string | null;
            /** Reason */
            reason?: string | null;
            /** Status */
            status: boolean;
            /** Type */
            type: string;
        };
        /** ConfigureWrite */
        ConfigureWrite: {
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Plan */
            plan?: string | null;
        };
        /** ConsentGive */
        ConsentGive: {
            /** Consent */
            consent: string;
        };
        /**
         * CostRead
         * @description Held time at the list price: an estimate, not a bill.
         */
        CostRead: {
            /** Amount Micros */
            amount_micros: number;
            /** Currency */
            currency: string;
            /** Held Seconds */
            held_seconds: number;
            /** Label */
            label: string;
            /** Price Micros Per Hour */
            price_micros_per_hour: number;
        };
        /** Cpu */
        Cpu: {
            /** Cores */
            cores?: number | null;
            /** Model */
            model?: string | null;
            /** Sockets */
            sockets?: number | null;
            /** Threads */
            threads?: number | null;
        };
        /** CpuRead */
        CpuRead: {
            /** Model */
            model: string | null;
            /** Threads */
            threads: number | null;
        };
        /** CredentialRotation */
        CredentialRotation: {
            /**
             * Overlap Hours
             * @default 24
             */
            overlap_hours: number;
            /** Private Key */
            private_key?: string | null;
        };
        /** DecisionRead */
        DecisionRead: {
            /** Allowed */
            allowed: boolean;
            held_back: components["schemas"]["HeldBackRead"] | null;
            /** Verdicts */
            verdicts: components["schemas"]["VerdictRead"][];
            version: components["schemas"]["ResolvedVersion"] | null;
        };
        /**
         * DeclarationAskRead
         * @description One thing that is asked for.
         */
        DeclarationAskRead: {
            /** Sentence */
            sentence: string;
            /** Value */
            value: string;
            /** What */
            what: string;
        };
        /**
         * DeclarationRead
         * @description What a version asks for.
         */
        DeclarationRead: {
            /** Actions */
            actions: components["schemas"]["DeclaredUseRead"][];
            /** Families */
            families: string[];
            /** Family Keys */
            family_keys: components["schemas"]["DeclaredFamilyKeyRead"][];
            /** Keys */
            keys: components["schemas"]["DeclaredKeyRead"][];
            /** Probes */
            probes: components["schemas"]["DeclaredProbeRead"][];
            /** Run As */
            run_as: string[];
            /** Scopes */
            scopes: string[];
            /** Secrets */
            secrets: string[];
            /** Sentences */
            sentences: string[];
            /** Task Kinds */
            task_kinds: string[];
            /** Touches */
            touches: components["schemas"]["DeclaredTouchRead"][];
            /** Views */
            views: components["schemas"]["DeclaredUseRead"][];
        };
        /** DeclaredFamilyKeyRead */
        DeclaredFamilyKeyRead: {
            /** Admitted */
            admitted: boolean;
            /** Description */
            description: string | null;
            /** Key */
            key: string;
            /** Means */
            means: string | null;
            /** Roles */
            roles: string[];
        };
        /**
         * DeclaredKeyRead
         * @description A permission key on the app, and who holds it once this is accepted.
         */
        DeclaredKeyRead: {
            /** Description */
            description: string | null;
            /** Key */
            key: string;
            /** Roles */
            roles: string[];
        };
        /**
         * DeclaredProbeRead
         * @description A command that runs on machines to see how the app is.
         */
        DeclaredProbeRead: {
            /** Command */
            command: string[];
            /** Component */
            component: string;
            /** Name */
            name: string;
        };
        /** DeclaredTouchRead */
        DeclaredTouchRead: {
            /** Components */
            components: string[];
            /** Operation */
            operation: string;
        };
        /**
         * DeclaredUseRead
         * @description An action or a view, and who can use it once this is accepted.
         */
        DeclaredUseRead: {
            /** Name */
            name: string;
            /** Permission */
            permission: string;
            /** Roles */
            roles: string[];
            /** Title */
            title: string | null;
        };
        /** DecommissionWrite */
        DecommissionWrite: {
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /** Plan */
            plan?: string | null;
            /**
             * Preempt
             * @default false
             */
            preempt: boolean;
            /**
             * Reason
             * @default
             */
            reason: string;
        };
        /** DeliveryRead */
        DeliveryRead: {
            /** Answer Status */
            answer_status: number | null;
            /** Attempts */
            attempts: number;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Due At */
            due_at: string | null;
            /** Ended At */
            ended_at: string | null;
            /** Error */
            error: string | null;
            /** Event Id */
            event_id: string;
            /** Event Type */
            event_type: string;
            /** Id */
            id: string;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "delivered" | "dead";
            /** Tried At */
            tried_at: string | null;
            /** Version */
            version: number;
            /** Webhook Id */
            webhook_id: string;
        };
        /** DeniedRead */
        DeniedRead: {
            /**
             * Layer
             * @enum {string}
             */
            layer: "global" | "tenant" | "org" | "project" | "entitlement";
            /** Value */
            value: string;
        };
        /**
         * DeployPlanWrite
         * @description What a deployment would do.
         */
        DeployPlanWrite: {
            /** App */
            app: string;
            /** Channel */
            channel?: string | null;
            /** Components */
            components?: {
                [key: string]: components["schemas"]["PlacementWrite"];
            };
            /** Config */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Control Plane Scope
             * @default project
             * @enum {string}
             */
            control_plane_scope: "project" | "tenant" | "platform";
            /**
             * Kind
             * @default instance.deploy
             * @constant
             */
            kind: "instance.deploy";
            /**
             * Max Parallel
             * @default 10
             */
            max_parallel: number;
            /** Name */
            name: string;
            /** Operating Mode */
            operating_mode?: string | null;
            /** Operator */
            operator: string;
            /** Version */
            version?: string | null;
        };
        /** DeviceCodeCreate */
        DeviceCodeCreate: {
            /** Client */
            client: string;
            /**
             * Token Expires In
             * @description Seconds for which the token lives.
             */
            token_expires_in: number;
        };
        /** DeviceCodeIssued */
        DeviceCodeIssued: {
            /** Device Code */
            device_code: string;
            /** Expires In */
            expires_in: number;
            /** Interval */
            interval: number;
            /** User Code */
            user_code: string;
            /** Verification Uri */
            verification_uri: string;
            /** Verification Uri Complete */
            verification_uri_complete: string;
        };
        /** DeviceCodeRead */
        DeviceCodeRead: {
            /** Address */
            address: string;
            /** Client */
            client: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "approved" | "denied";
            /** Token Expires In */
            token_expires_in: number;
        };
        /** DeviceTokenRead */
        DeviceTokenRead: {
            /** Expires At */
            expires_at?: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "approved";
            /** Token */
            token?: string | null;
            /** Token Id */
            token_id?: string | null;
            /** User Id */
            user_id?: string | null;
        };
        /** DeviceTokenRequest */
        DeviceTokenRequest: {
            /** Device Code */
            device_code: string;
            /**
             * Wait
             * @description Seconds to wait for a decision.
             * @default 0
             */
            wait: number;
        };
        /** Disk */
        Disk: {
            /** Bytes */
            bytes?: number | null;
            /** Model */
            model?: string | null;
            /** Name */
            name: string;
            /** Rotational */
            rotational?: boolean | null;
        };
        /**
         * DocumentRead
         * @description What a layer limits. Null: nothing.
         */
        DocumentRead: {
            artifact_sources?: components["schemas"]["LimitedRead"] | null;
            channels?: components["schemas"]["LimitedRead"] | null;
            operations?: components["schemas"]["LimitedRead"] | null;
            quotas?: components["schemas"]["QuotasRead"] | null;
            regions?: components["schemas"]["LimitedRead"] | null;
            skus?: components["schemas"]["LimitedRead"] | null;
            /** Versions */
            versions?: {
                [key: string]: string;
            } | null;
        };
        /**
         * DrainRead
         * @description Who drained it. Only that side lets it work again.
         */
        DrainRead: {
            /**
             * Owner
             * @enum {string}
             */
            owner: "user" | "platform" | "app";
            /** Reason */
            reason: string | null;
        };
        /**
         * EffectiveChoice
         * @description What all layers together leave of one dimension.
         */
        EffectiveChoice: {
            /** Allow */
            allow: string[] | null;
            /** Allowed By */
            allowed_by: ("global" | "tenant" | "org" | "project" | "entitlement")[];
            /** Deny */
            deny: components["schemas"]["DeniedRead"][];
        };
        /** EffectiveConstraint */
        EffectiveConstraint: {
            /** Constraint */
            constraint: string;
            /**
             * Layer
             * @enum {string}
             */
            layer: "global" | "tenant" | "org" | "project" | "entitlement";
        };
        /**
         * EffectivePolicyRead
         * @description What all layers above and in a project leave, and which layer each limit comes from.
         */
        EffectivePolicyRead: {
            artifact_sources: components["schemas"]["EffectiveChoice"] | null;
            channels: components["schemas"]["EffectiveChoice"] | null;
            /** Layers */
            layers: components["schemas"]["LayerRead"][];
            operations: components["schemas"]["EffectiveChoice"] | null;
            /** Project Id */
            project_id: string;
            /** Quotas */
            quotas: {
                [key: string]: components["schemas"]["EffectiveQuota"];
            };
            regions: components["schemas"]["EffectiveChoice"] | null;
            skus: components["schemas"]["EffectiveChoice"] | null;
            /** Versions */
            versions: {
                [key: string]: components["schemas"]["EffectiveConstraint"][];
            };
        };
        /** EffectiveQuota */
        EffectiveQuota: {
            /**
             * Layer
             * @enum {string}
             */
            layer: "global" | "tenant" | "org" | "project" | "entitlement";
            /** Limit */
            limit: number;
        };
        /** EffectRead */
        EffectRead: {
            /**
             * Effect
             * @enum {string}
             */
            effect: "none" | "reconfigure" | "restart";
            /** Field */
            field: string;
        };
        /** EnrolmentCreate */
        EnrolmentCreate: {
            /** Expires In */
            expires_in?: number | null;
        };
        /** EnrolmentIssued */
        EnrolmentIssued: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Created By Name */
            created_by_name: string | null;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /** Line */
            line: string;
            /** Node Id */
            node_id: string;
            /** Revoked At */
            revoked_at: string | null;
            /** Token */
            token: string;
            /** Used At */
            used_at: string | null;
        };
        /** EnrolmentRead */
        EnrolmentRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Created By Name */
            created_by_name: string | null;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /** Node Id */
            node_id: string;
            /** Revoked At */
            revoked_at: string | null;
            /** Used At */
            used_at: string | null;
        };
        /** EntitledVersion */
        EntitledVersion: {
            /** Id */
            id: string;
            /** Number */
            number: string;
            /** Status */
            status: string;
        };
        /** EntitlementCreate */
        EntitlementCreate: {
            /** App */
            app: string;
            /** Channel */
            channel?: ("dev" | "staging" | "prod") | null;
            /** Consent */
            consent?: string | null;
            /**
             * Versions
             * @default *
             */
            versions: string;
        };
        /** EntitlementDetail */
        EntitlementDetail: {
            /**
             * Accepted At
             * Format: date-time
             */
            accepted_at: string;
            /** Accepted By */
            accepted_by: string;
            /** Accepted By Name */
            accepted_by_name: string | null;
            /** Accepted Digest */
            accepted_digest: string;
            /** Accepted Version Id */
            accepted_version_id: string;
            /** App Id */
            app_id: string;
            /** App Name */
            app_name: string | null;
            /** App Slug */
            app_slug: string;
            /** Channel */
            channel: ("dev" | "staging" | "prod") | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enabled */
            enabled: boolean;
            /** Id */
            id: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            resolved: components["schemas"]["EntitledVersion"] | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
            /** Versions */
            versions: string;
            waiting: components["schemas"]["WaitingVersion"] | null;
            /** Your Permissions */
            your_permissions: string[];
        };
        /** EntitlementRead */
        EntitlementRead: {
            /**
             * Accepted At
             * Format: date-time
             */
            accepted_at: string;
            /** Accepted By */
            accepted_by: string;
            /** Accepted By Name */
            accepted_by_name: string | null;
            /** Accepted Digest */
            accepted_digest: string;
            /** Accepted Version Id */
            accepted_version_id: string;
            /** App Id */
            app_id: string;
            /** App Name */
            app_name: string | null;
            /** App Slug */
            app_slug: string;
            /** Channel */
            channel: ("dev" | "staging" | "prod") | null;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enabled */
            enabled: boolean;
            /** Id */
            id: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
            /** Versions */
            versions: string;
            /** Your Permissions */
            your_permissions: string[];
        };
        /** EntitlementUpdate */
        EntitlementUpdate: {
            /** Channel */
            channel?: ("dev" | "staging" | "prod") | "none" | null;
            /** Consent */
            consent?: string | null;
            /** Enabled */
            enabled?: boolean | null;
            /** Versions */
            versions?: string | null;
        };
        /**
         * EntryRead
         * @description Who did what, to what, when; or was refused it, `count` times within a minute.
         */
        EntryRead: {
            /** Action */
            action: string;
            /** Actor Id */
            actor_id: string;
            /** Actor Kind */
            actor_kind: string;
            /** Actor Name */
            actor_name: string;
            /** App Instance Id */
            app_instance_id: string | null;
            /** App Slug */
            app_slug: string | null;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Break Glass */
            break_glass: boolean;
            /** Correlation Id */
            correlation_id: string;
            /** Count */
            count: number;
            /** Credential */
            credential: string | null;
            /** Details */
            details: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /** Org Id */
            org_id: string;
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "allowed" | "denied";
            /** Project Id */
            project_id: string | null;
            /** Reason */
            reason: string | null;
            /** Seq */
            seq: number;
            /** Target */
            target: string;
            /** Target Name */
            target_name: string | null;
        };
        /**
         * EntryTaken
         * @description How an operation stands after your report of it.
         */
        EntryTaken: {
            /** Cancel Reason */
            cancel_reason?: string | null;
            /** Cancel Requested */
            cancel_requested?: boolean | null;
            /** Direction */
            direction?: ("forward" | "undo") | null;
            /** Fence */
            fence?: number | null;
            /** Lease Expires At */
            lease_expires_at?: string | null;
            /** Operation */
            operation: string;
            problem?: components["schemas"]["Problem"] | null;
            /** Sequence */
            sequence?: number | null;
            /** Status */
            status?: string | null;
        };
        /** ErrorRead */
        ErrorRead: {
            /** Code */
            code: string;
            /** Log */
            log?: string[];
            /** Message */
            message: string;
        };
        /** ErrorReport */
        ErrorReport: {
            /** Code */
            code: string;
            /** Log */
            log?: string[];
            /** Message */
            message: string;
        };
        /**
         * EventsRead
         * @description Events in order.
         *
         *     Ask again with `after` = `next`; nothing is missed and nothing comes twice.
         */
        EventsRead: {
            /** Items */
            items: components["schemas"]["CloudEvent"][];
            /** Next */
            next: string;
        };
        /**
         * EvidencePage
         * @description What is known of a held host: how it was made ready, how it was cleaned, who came in.
         *
         *     Ask again with `after` = `next` until `next` is null.
         */
        EvidencePage: {
            /** Items */
            items: components["schemas"]["EvidenceRead"][];
            /** Next */
            next: string | null;
            probe: components["schemas"]["StepProof"] | null;
            setup: components["schemas"]["StepProof"] | null;
            wipe: components["schemas"]["StepProof"] | null;
        };
        /**
         * EvidenceRead
         * @description Something that a host said, and when we heard it.
         */
        EvidenceRead: {
            /** Data */
            data: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /**
             * Received At
             * Format: date-time
             */
            received_at: string;
            /** Said At */
            said_at: string | null;
        };
        /** FamilyKeyRead */
        FamilyKeyRead: {
            /** Description */
            description: string;
            /** Key */
            key: string;
            /** Means */
            means: string | null;
        };
        /** FamilyKeyWrite */
        FamilyKeyWrite: {
            /** Description */
            description: string;
            /** Key */
            key: string;
            /** Means */
            means?: string | null;
        };
        /** FamilyRead */
        FamilyRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Description */
            description: string;
            /** Keys */
            keys: components["schemas"]["FamilyKeyRead"][];
            /** Name */
            name: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /**
         * FamilyWrite
         * @description The family as it should be. Keys may be added and reworded, never taken away.
         */
        FamilyWrite: {
            /** Description */
            description: string;
            /** Keys */
            keys: components["schemas"]["FamilyKeyWrite"][];
        };
        /**
         * FaultRead
         * @description One thing wrong with a request, and where it stands.
         */
        FaultRead: {
            /** Location */
            location: string;
            /** Message */
            message: string;
        };
        /** ForcedRelease */
        ForcedRelease: {
            /** Reason */
            reason: string;
        };
        /** Gpu */
        Gpu: {
            /** Driver */
            driver?: string | null;
            /** Index */
            index?: number | null;
            /** Memory Bytes */
            memory_bytes?: number | null;
            /** Model */
            model?: string | null;
            /** Uuid */
            uuid?: string | null;
            /** Vendor */
            vendor?: string | null;
        };
        /** GpuRead */
        GpuRead: {
            /** Memory Bytes */
            memory_bytes: number | null;
            /** Model */
            model: string | null;
        };
        /** GrantRead */
        GrantRead: {
            /** Org Id */
            org_id: string;
            /** Org Name */
            org_name: string;
            /** Org Slug */
            org_slug: string;
            /** Permissions */
            permissions: string[];
            /** Project Id */
            project_id: string | null;
            /** Project Name */
            project_name: string | null;
            /** Project Slug */
            project_slug: string | null;
        };
        /**
         * HardwareRead
         * @description What its agent says that it is made of, in short.
         */
        HardwareRead: {
            /** Cpu Model */
            cpu_model: string | null;
            /** Gpus */
            gpus: string[];
            /** Memory Bytes */
            memory_bytes: number | null;
            /** Os */
            os: string | null;
            /** Threads */
            threads: number | null;
        };
        /**
         * HeldBackRead
         * @description A version that the entitlement would rather come to, and the layer that keeps it back.
         */
        HeldBackRead: {
            /**
             * Layer
             * @enum {string}
             */
            layer: "catalog" | "entitlement" | "consent" | "family" | "trust" | "global" | "tenant" | "org" | "project" | "entitlement_overlay";
            /** Number */
            number: string;
            /** Sentence */
            sentence: string;
        };
        /**
         * HintBrief
         * @description Something moved of an instance that you watch.
         */
        HintBrief: {
            /** Instance Id */
            instance_id: string;
            /** Moved */
            moved: string[];
        };
        /**
         * HolderRead
         * @description Whose it is for now. What they do with it is theirs.
         */
        HolderRead: {
            /** Allocation Id */
            allocation_id: string;
            /** Org Id */
            org_id: string;
            /** Org Name */
            org_name: string;
        };
        /**
         * HostRead
         * @description The node, as long as it is held. What its agent says is the host's own word.
         */
        HostRead: {
            /** Addresses */
            addresses: string[];
            cpu: components["schemas"]["CpuRead"];
            /** Gpus */
            gpus: components["schemas"]["GpuRead"][];
            /** Last Seen At */
            last_seen_at: string | null;
            /** Memory Bytes */
            memory_bytes: number | null;
            /** Os */
            os: string | null;
            /** Quarantined */
            quarantined: boolean;
            /** Reach */
            reach: string;
            /** Reachable */
            reachable: boolean | null;
            /** Ssh Port */
            ssh_port: number;
            /** Unreachable Since */
            unreachable_since: string | null;
        };
        /**
         * InstanceBrief
         * @description An instance, as its controller knows it.
         */
        InstanceBrief: {
            /** App Slug */
            app_slug: string;
            /** App Version */
            app_version: string;
            /** Artifacts */
            artifacts?: components["schemas"]["ArtifactBrief"][];
            /** Components */
            components?: components["schemas"]["ComponentBrief"][];
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Endpoints */
            endpoints?: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /** Members */
            members?: components["schemas"]["MemberBrief"][];
            /**
             * Members Complete
             * @default true
             */
            members_complete: boolean;
            /** Name */
            name: string;
            /** Operating Mode */
            operating_mode: string;
            /** Org Id */
            org_id: string;
            previous?: components["schemas"]["PreviousBrief"] | null;
            /** Project Id */
            project_id: string;
            /** Revision */
            revision: number;
            /** Runtime Backend */
            runtime_backend: string;
            /** Status */
            status: string;
            /** Version Id */
            version_id: string;
        };
        /** InstanceCreate */
        InstanceCreate: {
            /** App */
            app: string;
            /** Channel */
            channel?: string | null;
            /** Components */
            components?: {
                [key: string]: components["schemas"]["PlacementWrite"];
            };
            /** Config */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Control Plane Scope
             * @default project
             * @enum {string}
             */
            control_plane_scope: "project" | "tenant" | "platform";
            /**
             * Max Parallel
             * @default 10
             */
            max_parallel: number;
            /** Name */
            name: string;
            /** Operating Mode */
            operating_mode?: string | null;
            /** Operator */
            operator: string;
            /** Plan */
            plan?: string | null;
            /** Version */
            version?: string | null;
        };
        /** InstanceRead */
        InstanceRead: {
            /** Access */
            access: string | null;
            /** App Id */
            app_id: string;
            /** App Slug */
            app_slug: string;
            /** App Version */
            app_version: string;
            /** Components */
            components: components["schemas"]["ComponentRead"][];
            /** Conditions */
            conditions: components["schemas"]["ConditionRead"][];
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Control Plane Scope */
            control_plane_scope: string;
            /** Correlation Id */
            correlation_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Deleted At */
            deleted_at: string | null;
            /** Endpoints */
            endpoints: {
                [key: string]: unknown;
            };
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "progressing" | "unknown";
            /** Health Reasons */
            health_reasons: string[];
            /** Id */
            id: string;
            last_operation: components["schemas"]["LastOperationRead"] | null;
            /** Name */
            name: string;
            /** Observed At */
            observed_at: string | null;
            /** Operating Mode */
            operating_mode: string;
            operator: components["schemas"]["OperatorRead"] | null;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Requested By */
            requested_by: string;
            /** Revision */
            revision: number;
            /** Runtime Backend */
            runtime_backend: string;
            /** Runtime Version */
            runtime_version: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "requested" | "deploying" | "running" | "stopping" | "stopped" | "starting" | "restarting" | "configuring" | "upgrading" | "rolling_back" | "rotating" | "failed" | "deleting" | "delete_failed" | "deleted";
            /** Status Reason */
            status_reason: string | null;
            /** Topology Mode */
            topology_mode: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
            /** Version Id */
            version_id: string;
        };
        /**
         * InstanceSaid
         * @description What the controller knows of the instance. What is left out, stays.
         */
        InstanceSaid: {
            /** Endpoints */
            endpoints?: {
                [key: string]: unknown;
            } | null;
            /** Runtime Version */
            runtime_version?: string | null;
            /** Topology Mode */
            topology_mode?: string | null;
        };
        /**
         * Inventory
         * @description What a host is made of, by its own word.
         */
        Inventory: {
            /** Arch */
            arch?: string | null;
            cpu: components["schemas"]["Cpu"];
            /** Disks */
            disks?: components["schemas"]["Disk"][];
            /** Gpu Source */
            gpu_source?: string | null;
            /** Gpus */
            gpus?: components["schemas"]["Gpu"][];
            /** Hostname */
            hostname?: string | null;
            /** Memory Bytes */
            memory_bytes: number;
            /** Nics */
            nics?: components["schemas"]["Nic"][];
            os?: components["schemas"]["System"] | null;
            /** Python */
            python?: string | null;
            /** Ssh Host Keys */
            ssh_host_keys?: string[];
            /** Systemd */
            systemd?: string | null;
            /** Virtualization */
            virtualization?: string | null;
        };
        /** KeyCreate */
        KeyCreate: {
            /** Expires In */
            expires_in?: number | null;
            public_key?: components["schemas"]["PublicKey"] | null;
        };
        /** KeyIssued */
        KeyIssued: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Revoked At */
            revoked_at: string | null;
            /** Secret */
            secret: string | null;
            /** Service Account Id */
            service_account_id: string;
        };
        /** KeyRead */
        KeyRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Revoked At */
            revoked_at: string | null;
            /** Service Account Id */
            service_account_id: string;
        };
        /** KeySetRead */
        KeySetRead: {
            /** Keys */
            keys: components["schemas"]["PublicKeyRead"][];
        };
        /** LastOperationRead */
        LastOperationRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Ended At */
            ended_at: string | null;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Message */
            message: string | null;
            /** Status */
            status: string;
        };
        /** LayerRead */
        LayerRead: {
            document: components["schemas"]["DocumentRead"];
            /**
             * Level
             * @enum {string}
             */
            level: "global" | "tenant" | "org" | "project" | "entitlement";
            /** Version */
            version: number;
        };
        /** LeaseRenew */
        LeaseRenew: {
            /**
             * Lease
             * @default 3600
             */
            lease: number;
        };
        /**
         * Level
         * @description What kind of place a role is given in.
         * @enum {string}
         */
        Level: "platform" | "org" | "project";
        /**
         * LimitedChannels
         * @description Channels by which a version may be used.
         */
        LimitedChannels: {
            /** Allow */
            allow?: string[] | null;
            /** Deny */
            deny?: string[];
        };
        /**
         * LimitedOperations
         * @description Kinds of operation. Those that give something back are not among them: none is refused.
         */
        LimitedOperations: {
            /** Allow */
            allow?: ("allocate" | "artifact.pull" | "instance.deploy" | "instance.configure" | "instance.upgrade" | "instance.rollback" | "instance.start" | "instance.restart" | "instance.repair" | "member.add" | "member.resume" | "member.replace" | "action" | "credential.rotate" | "node.session")[] | null;
            /** Deny */
            deny?: ("allocate" | "artifact.pull" | "instance.deploy" | "instance.configure" | "instance.upgrade" | "instance.rollback" | "instance.start" | "instance.restart" | "instance.repair" | "member.add" | "member.resume" | "member.replace" | "action" | "credential.rotate" | "node.session")[];
        };
        /** LimitedRead */
        LimitedRead: {
            /** Allow */
            allow: string[] | null;
            /** Deny */
            deny: string[];
        };
        /**
         * LimitedSources
         * @description Sources of artifacts: `store`, a shared one's slug, or `<org>/<slug>`.
         */
        LimitedSources: {
            /** Allow */
            allow?: string[] | null;
            /** Deny */
            deny?: string[];
        };
        /**
         * LimitedWords
         * @description Values to allow, and values to deny. A denied one is denied, whatever else is said.
         */
        LimitedWords: {
            /** Allow */
            allow?: string[] | null;
            /** Deny */
            deny?: string[];
        };
        /** Login */
        Login: {
            /** Email */
            email: string;
            /**
             * Password
             * Format: password
             */
            password: string;
        };
        /** LoginRead */
        LoginRead: {
            /** Csrf Token */
            csrf_token: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Session Id */
            session_id: string;
            /** User Id */
            user_id: string;
        };
        /**
         * MemberBrief
         * @description A member, as its controller knows it.
         */
        MemberBrief: {
            /** Adapter Detail */
            adapter_detail?: {
                [key: string]: unknown;
            };
            /** Allocation Id */
            allocation_id?: string | null;
            /** App Version */
            app_version?: string | null;
            /** Component */
            component: string;
            /** Config Hash */
            config_hash?: string | null;
            /** Health */
            health: string;
            /** Host Address */
            host_address?: string | null;
            /** Id */
            id: string;
            /** Inventory */
            inventory?: {
                [key: string]: unknown;
            } | null;
            /** Name */
            name: string;
            /** Node Name */
            node_name?: string | null;
            /**
             * Reachable
             * @default false
             */
            reachable: boolean;
            /** Replaces Id */
            replaces_id?: string | null;
            /** Runtime Version */
            runtime_version?: string | null;
            /** Status */
            status: string;
        };
        /** MemberRead */
        MemberRead: {
            /** Adapter Detail */
            adapter_detail: {
                [key: string]: unknown;
            };
            /** Allocation Id */
            allocation_id: string | null;
            /** App Version */
            app_version: string;
            /** Component */
            component: string;
            /** Config Hash */
            config_hash: string | null;
            /** Correlation Id */
            correlation_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            drain: components["schemas"]["DrainRead"] | null;
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "unknown";
            /** Health Reasons */
            health_reasons: string[];
            /** Host Address */
            host_address: string | null;
            /** Id */
            id: string;
            /** Instance Id */
            instance_id: string;
            /** Keep Allocation */
            keep_allocation: boolean;
            /** Last Operation Id */
            last_operation_id: string | null;
            /** Managed */
            managed: boolean;
            /** Name */
            name: string;
            /** Node Name */
            node_name: string | null;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Removed At */
            removed_at: string | null;
            /** Replaces Id */
            replaces_id: string | null;
            /** Runtime Version */
            runtime_version: string | null;
            /** Source Project Id */
            source_project_id: string;
            /**
             * Status
             * @enum {string}
             */
            status: "requested" | "joining" | "ready" | "draining" | "drained" | "removing" | "replacing" | "failed" | "removed";
            /** Status Reason */
            status_reason: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /**
         * MemberReplace
         * @description Another machine takes a member's place.
         */
        MemberReplace: {
            /** Allocation */
            allocation?: string | null;
            /** Deadline */
            deadline?: number | null;
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /**
             * Lost
             * @default false
             */
            lost: boolean;
            override?: components["schemas"]["Override"] | null;
            /**
             * Policy
             * @default wait
             * @enum {string}
             */
            policy: "wait" | "deadline" | "force";
            /** Reason */
            reason: string;
            /** Region */
            region?: string | null;
            /** Sku */
            sku?: string | null;
        };
        /**
         * MembersAdd
         * @description More members of a component: on machines of yours, or on some that the platform allocates.
         */
        MembersAdd: {
            /** Allocations */
            allocations?: string[] | null;
            /** Component */
            component: string;
            /** Count */
            count?: number | null;
            /** Failure Budget */
            failure_budget?: number | null;
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /** Max Parallel */
            max_parallel?: number | null;
            /**
             * Reason
             * @default add members
             */
            reason: string;
            /** Region */
            region?: string | null;
            /** Sku */
            sku?: string | null;
        };
        /**
         * MemberSaid
         * @description What the controller knows of the member that it is at work on. What is left out, stays.
         */
        MemberSaid: {
            /** Adapter Detail */
            adapter_detail?: {
                [key: string]: unknown;
            } | null;
            /** Config Hash */
            config_hash?: string | null;
            /** Health */
            health?: ("healthy" | "degraded" | "unhealthy" | "unknown") | null;
            /** Reasons */
            reasons?: string[] | null;
            /** Runtime Version */
            runtime_version?: string | null;
        };
        /**
         * MembersDrain
         * @description Let members take nothing new, and empty them.
         */
        MembersDrain: {
            /** Deadline */
            deadline?: number | null;
            /** Failure Budget */
            failure_budget?: number | null;
            /** Max Parallel */
            max_parallel?: number | null;
            /** Members */
            members: string[];
            /**
             * Policy
             * @default wait
             * @enum {string}
             */
            policy: "wait" | "deadline" | "force";
            /** Reason */
            reason: string;
        };
        /** MemberSeen */
        MemberSeen: {
            /** Adapter Detail */
            adapter_detail?: {
                [key: string]: unknown;
            } | null;
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "unknown";
            /** Reasons */
            reasons?: string[];
            /** Runtime Version */
            runtime_version?: string | null;
        };
        /** MembershipAdd */
        MembershipAdd: {
            /** Email */
            email: string;
            /**
             * Role
             * @enum {string}
             */
            role: "platform_admin" | "tenant_admin" | "project_admin" | "project_member" | "viewer";
        };
        /** MembershipRead */
        MembershipRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Email */
            email: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string | null;
            /** Role */
            role: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** User Id */
            user_id: string;
            /** Version */
            version: number;
        };
        /** MembershipUpdate */
        MembershipUpdate: {
            /**
             * Role
             * @enum {string}
             */
            role: "platform_admin" | "tenant_admin" | "project_admin" | "project_member" | "viewer";
        };
        /**
         * MembersRemove
         * @description Empty members, and take them out of the instance.
         */
        MembersRemove: {
            /** Deadline */
            deadline?: number | null;
            /** Failure Budget */
            failure_budget?: number | null;
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /**
             * Lost
             * @default false
             */
            lost: boolean;
            /** Max Parallel */
            max_parallel?: number | null;
            /** Members */
            members: string[];
            /**
             * Policy
             * @default wait
             * @enum {string}
             */
            policy: "wait" | "deadline" | "force";
            /** Reason */
            reason: string;
        };
        /**
         * MembersResume
         * @description Let drained members work again. Only the side that drained one may.
         */
        MembersResume: {
            /** Failure Budget */
            failure_budget?: number | null;
            /** Max Parallel */
            max_parallel?: number | null;
            /** Members */
            members: string[];
            /** Reason */
            reason: string;
        };
        /** MeRead */
        MeRead: {
            /** Csrf Token */
            csrf_token: string | null;
            /** Grants */
            grants: components["schemas"]["GrantRead"][];
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Own Permissions */
            own_permissions: string[];
            /** Session Id */
            session_id: string | null;
        };
        /**
         * MomentRead
         * @description One thing that happened.
         */
        MomentRead: {
            /**
             * At
             * Format: date-time
             */
            at: string;
            /** Details */
            details: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "request" | "refusal" | "operation" | "step" | "task" | "event";
            /** Status */
            status: string | null;
            /** Text */
            text: string;
        };
        /**
         * NextRead
         * @description Something that can be done about it.
         */
        NextRead: {
            /** Operation Id */
            operation_id: string;
            /** Text */
            text: string;
            /**
             * Verb
             * @enum {string}
             */
            verb: "retry" | "resume" | "cancel" | "abandon" | "replace";
        };
        /** Nic */
        Nic: {
            /** Addresses */
            addresses?: string[];
            /** Mac */
            mac?: string | null;
            /** Name */
            name: string;
            /** Speed Mbps */
            speed_mbps?: number | null;
        };
        /**
         * NodeAct
         * @description Why, for the record.
         */
        NodeAct: {
            /** Reason */
            reason: string;
        };
        /**
         * NodeAllocationRequest
         * @description One named node for a project, by those who run the platform.
         */
        NodeAllocationRequest: {
            /** Metadata */
            metadata?: {
                [key: string]: unknown;
            };
            /** Name */
            name?: string | null;
            /** Project */
            project: string;
            /** Reason */
            reason: string;
            /** Scheduler Type */
            scheduler_type?: string | null;
        };
        /** NodeAnnounced */
        NodeAnnounced: {
            enrolment: components["schemas"]["EnrolmentIssued"] | null;
            node: components["schemas"]["NodeRead"];
        };
        /** NodeBatchCreate */
        NodeBatchCreate: {
            /** Expires In */
            expires_in?: number | null;
            /** Nodes */
            nodes: components["schemas"]["NodeCreate"][];
        };
        /** NodeBatchRead */
        NodeBatchRead: {
            /** Items */
            items: components["schemas"]["NodeAnnounced"][];
        };
        /** NodeCreate */
        NodeCreate: {
            /** Address */
            address?: string | null;
            /** Labels */
            labels?: {
                [key: string]: string;
            };
            /** Name */
            name: string;
            /**
             * Reach
             * @default agent
             * @enum {string}
             */
            reach: "agent" | "ssh";
            /** Region */
            region: string;
            /** Sku */
            sku: string;
            /** Ssh Port */
            ssh_port?: number | null;
        };
        /** NodeRead */
        NodeRead: {
            /** Address */
            address: string | null;
            /** Agent Version */
            agent_version: string | null;
            /** Allocation Id */
            allocation_id: string | null;
            /** Cordoned */
            cordoned: boolean;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enrolled At */
            enrolled_at: string | null;
            /** Generation */
            generation: number;
            hardware: components["schemas"]["HardwareRead"] | null;
            holder: components["schemas"]["HolderRead"] | null;
            /** Hostname */
            hostname: string | null;
            /** Id */
            id: string;
            /** Inventory */
            inventory: {
                [key: string]: unknown;
            } | null;
            /** Inventory At */
            inventory_at: string | null;
            /** Labels */
            labels: {
                [key: string]: string;
            };
            /** Last Org Id */
            last_org_id: string | null;
            /** Last Seen At */
            last_seen_at: string | null;
            /** Name */
            name: string;
            /** Reach */
            reach: string;
            /** Reachable */
            reachable: boolean | null;
            /** Region */
            region: string;
            /** Reimage Requested At */
            reimage_requested_at: string | null;
            /** Sku */
            sku: string;
            /** Ssh Port */
            ssh_port: number | null;
            /**
             * Status
             * @enum {string}
             */
            status: "enrolling" | "available" | "allocated" | "cleaning" | "maintenance" | "quarantined" | "retired";
            /** Status Reason */
            status_reason: string | null;
            /**
             * Status Since
             * Format: date-time
             */
            status_since: string;
            /** Unreachable Since */
            unreachable_since: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** NodeUpdate */
        NodeUpdate: {
            /** Address */
            address?: string | null;
            /** Cordoned */
            cordoned?: boolean | null;
            /** Labels */
            labels?: {
                [key: string]: string;
            } | null;
            /** Name */
            name?: string | null;
            /** Ssh Port */
            ssh_port?: number | null;
        };
        /**
         * Observed
         * @description What a look at an instance has shown. It sets health and conditions, never a state.
         */
        Observed: {
            /** Components */
            components?: {
                [key: string]: components["schemas"]["ComponentSeen"];
            };
            /** Conditions */
            conditions?: components["schemas"]["ConditionSaid"][];
            /** Endpoints */
            endpoints?: {
                [key: string]: unknown;
            } | null;
            /** Fence */
            fence: number;
            /** Fresh For */
            fresh_for?: number | null;
            /**
             * Health
             * @enum {string}
             */
            health: "healthy" | "degraded" | "unhealthy" | "progressing" | "unknown";
            /** Members */
            members?: {
                [key: string]: components["schemas"]["MemberSeen"];
            };
            /** Reasons */
            reasons?: string[];
            /** Runtime Version */
            runtime_version?: string | null;
            /** Topology Mode */
            topology_mode?: string | null;
        };
        /**
         * ObservedTaken
         * @description What stands now.
         */
        ObservedTaken: {
            /** Health */
            health: string;
            /** Instance Id */
            instance_id: string;
            /** Observed Until */
            observed_until: string | null;
        };
        /** OfferedApp */
        OfferedApp: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Slug */
            slug: string;
            /** Summary */
            summary: string;
        };
        /**
         * OfferRead
         * @description What a project would be entitled to, and what its tenant would accept with it.
         */
        OfferRead: {
            app: components["schemas"]["OfferedApp"];
            /** Channel */
            channel: ("dev" | "staging" | "prod") | null;
            /** Consent */
            consent: string;
            declaration: components["schemas"]["DeclarationRead"];
            /** Entitlement Id */
            entitlement_id: string | null;
            version: components["schemas"]["EntitledVersion"];
            /** Versions */
            versions: string;
        };
        /** OidcIdentityLink */
        OidcIdentityLink: {
            /** Reason */
            reason?: string | null;
            /** Subject */
            subject: string;
        };
        /** OidcProviderCreate */
        OidcProviderCreate: {
            /** Client Id */
            client_id: string;
            /**
             * Client Secret
             * Format: password
             * @description Kept sealed, and never shown again.
             */
            client_secret: string;
            /**
             * Domains
             * @description E-mail domains that it speaks for, without those below them; `*` for all.
             */
            domains: string[];
            /**
             * Enabled
             * @default true
             */
            enabled: boolean;
            /**
             * Issuer
             * @description Exactly as the provider writes it, a slash at the end included.
             */
            issuer: string;
            /** Name */
            name: string;
            /** Slug */
            slug: string;
        };
        /** OidcProviderRead */
        OidcProviderRead: {
            /** Callback Url */
            callback_url: string;
            /** Client Id */
            client_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Domains */
            domains: string[];
            /** Enabled */
            enabled: boolean;
            /** Id */
            id: string;
            /** Issuer */
            issuer: string;
            /** Name */
            name: string;
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /**
         * OidcProviderUpdate
         * @description What is left out stays as it is. The issuer stays: subjects mean something to it alone.
         */
        OidcProviderUpdate: {
            /** Client Id */
            client_id?: string | null;
            /** Client Secret */
            client_secret?: string | null;
            /** Domains */
            domains?: string[] | null;
            /** Enabled */
            enabled?: boolean | null;
            /** Name */
            name?: string | null;
        };
        /**
         * OperationBrief
         * @description An operation that is yours, and everything that you need to do it.
         */
        OperationBrief: {
            /** Action */
            action: string | null;
            /** Attempt */
            attempt: number;
            /** Batch */
            batch?: string[];
            /** Cancel Requested */
            cancel_requested: boolean;
            change: components["schemas"]["ChangeBrief"] | null;
            children: components["schemas"]["ChildrenBrief"] | null;
            /** Correlation Id */
            correlation_id: string;
            /** Deadline */
            deadline: string | null;
            /**
             * Direction
             * @enum {string}
             */
            direction: "forward" | "undo";
            /** Fence */
            fence: number;
            /** Grant */
            grant: string;
            /** Handout */
            handout: number;
            /** Id */
            id: string;
            /** Input */
            input: {
                [key: string]: unknown;
            };
            /** Instance Id */
            instance_id: string;
            /** Kind */
            kind: string;
            /**
             * Lease Expires At
             * Format: date-time
             */
            lease_expires_at: string;
            member: components["schemas"]["MemberBrief"] | null;
            /** Member Ids */
            member_ids: string[];
            /** Members */
            members: components["schemas"]["MemberBrief"][];
            /** No Return */
            no_return: boolean;
            /** Parent Id */
            parent_id: string | null;
            /** Phase */
            phase: ("prepare" | "finish") | null;
            /** Reason */
            reason: string;
            requested_by: components["schemas"]["RequesterBrief"];
            /** Sequence */
            sequence: number;
            /** Steps */
            steps: components["schemas"]["StepBrief"][];
            /** Traceparent */
            traceparent: string | null;
        };
        /** OperationEnd */
        OperationEnd: {
            /** Message */
            message?: string | null;
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "succeeded" | "failed";
        };
        /** OperationRead */
        OperationRead: {
            /** Action */
            action: string | null;
            /** Allocations */
            allocations: string[];
            /** App Slug */
            app_slug: string | null;
            /** Attempt */
            attempt: number;
            /** Cancel Reason */
            cancel_reason: string | null;
            /** Cancel Requested At */
            cancel_requested_at: string | null;
            children: components["schemas"]["ChildrenRead"] | null;
            /** Correlation Id */
            correlation_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Deadline */
            deadline: string | null;
            /**
             * Direction
             * @enum {string}
             */
            direction: "forward" | "undo";
            /** Due At */
            due_at: string | null;
            /** Ended At */
            ended_at: string | null;
            error: components["schemas"]["ErrorRead"] | null;
            /** Fence */
            fence: number;
            /** Id */
            id: string;
            /** Input */
            input: {
                [key: string]: unknown;
            } | null;
            /** Instance Id */
            instance_id: string | null;
            /** Instance Name */
            instance_name: string | null;
            /** Kind */
            kind: string;
            /** Lease Expires At */
            lease_expires_at: string | null;
            /** Member Id */
            member_id: string | null;
            /** Member Name */
            member_name: string | null;
            /** Message */
            message: string | null;
            /** No Return */
            no_return: boolean;
            /** Operator Id */
            operator_id: string | null;
            /** Org Id */
            org_id: string;
            /** Parent Id */
            parent_id: string | null;
            /** Phase */
            phase: ("prepare" | "children" | "finish") | null;
            progress: components["schemas"]["ProgressRead"] | null;
            /** Project Id */
            project_id: string;
            /** Reason */
            reason: string;
            /** Recovery */
            recovery: ("retryable" | "reconcilable" | "repairable" | "operator" | "terminal") | null;
            /** Requested By */
            requested_by: string;
            /** Requested By Kind */
            requested_by_kind: string;
            /** Requested By Name */
            requested_by_name: string;
            /** Residue */
            residue: components["schemas"]["ResidueRead"][];
            /** Result */
            result: unknown;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Verbs */
            verbs: ("retry" | "resume" | "cancel" | "abandon" | "replace")[];
            /** Version */
            version: number;
        };
        /**
         * OperationStepRead
         * @description An entry of the journal.
         */
        OperationStepRead: {
            /** Attempt */
            attempt: number;
            /** Finished At */
            finished_at: string | null;
            /** Message */
            message: string | null;
            /** Name */
            name: string;
            /** No Return */
            no_return: boolean;
            /** Number */
            number: number;
            /**
             * Phase
             * @enum {string}
             */
            phase: "run" | "prepare" | "finish";
            /** Result */
            result: unknown;
            /**
             * Started At
             * Format: date-time
             */
            started_at: string;
            /**
             * Status
             * @enum {string}
             */
            status: "running" | "succeeded" | "failed" | "undoing" | "undone" | "undo_failed";
        };
        /**
         * OperatorRead
         * @description Who acts for the instance.
         */
        OperatorRead: {
            /** Id */
            id: string;
            /** Last Seen At */
            last_seen_at: string | null;
            /** Listening */
            listening: boolean;
            /** Name */
            name: string;
            /**
             * Serves
             * @enum {string}
             */
            serves: "publisher" | "project";
        };
        /** OrgCreate */
        OrgCreate: {
            /** Admin Email */
            admin_email: string;
            /** Name */
            name: string;
            /** Slug */
            slug: string;
        };
        /** OrgRead */
        OrgRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** OrgUpdate */
        OrgUpdate: {
            /** Name */
            name: string;
        };
        /**
         * OverlayDocument
         * @description What a layer limits. What it does not name, it does not limit.
         */
        OverlayDocument: {
            artifact_sources?: components["schemas"]["LimitedSources"] | null;
            channels?: components["schemas"]["LimitedChannels"] | null;
            operations?: components["schemas"]["LimitedOperations"] | null;
            quotas?: components["schemas"]["Quotas"] | null;
            regions?: components["schemas"]["LimitedWords"] | null;
            skus?: components["schemas"]["LimitedWords"] | null;
            /** Versions */
            versions?: {
                [key: string]: string;
            } | null;
        };
        /** OverlayRead */
        OverlayRead: {
            document: components["schemas"]["DocumentRead"];
            /** Entitlement Id */
            entitlement_id: string | null;
            /** Id */
            id: string | null;
            /**
             * Level
             * @enum {string}
             */
            level: "global" | "tenant" | "org" | "project" | "entitlement";
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string | null;
            /** Updated At */
            updated_at: string | null;
            /** Version */
            version: number;
        };
        /**
         * OverlayWrite
         * @description The whole layer, in place of what it said before.
         */
        OverlayWrite: {
            document: components["schemas"]["OverlayDocument"];
        };
        /**
         * OverlayWritten
         * @description The layer as it is now, and what it takes away from those below it.
         */
        OverlayWritten: {
            breaks: components["schemas"]["BreaksRead"];
            document: components["schemas"]["DocumentRead"];
            /** Entitlement Id */
            entitlement_id: string | null;
            /** Id */
            id: string | null;
            /**
             * Level
             * @enum {string}
             */
            level: "global" | "tenant" | "org" | "project" | "entitlement";
            /** Notes */
            notes: string[];
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string | null;
            /** Updated At */
            updated_at: string | null;
            /** Version */
            version: number;
        };
        /**
         * Override
         * @description Going on with what is not trusted any more. Needs the permission policy.override.
         */
        Override: {
            /** Reason */
            reason: string;
        };
        /** PageRead[AccessCredentialRead] */
        PageRead_AccessCredentialRead_: {
            /** Items */
            items: components["schemas"]["AccessCredentialRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AccessGrantRead] */
        PageRead_AccessGrantRead_: {
            /** Items */
            items: components["schemas"]["AccessGrantRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AccessTokenRead] */
        PageRead_AccessTokenRead_: {
            /** Items */
            items: components["schemas"]["AccessTokenRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AdmissionRead] */
        PageRead_AdmissionRead_: {
            /** Items */
            items: components["schemas"]["AdmissionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AllocationRead] */
        PageRead_AllocationRead_: {
            /** Items */
            items: components["schemas"]["AllocationRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AppOperatorRead] */
        PageRead_AppOperatorRead_: {
            /** Items */
            items: components["schemas"]["AppOperatorRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[AppRead] */
        PageRead_AppRead_: {
            /** Items */
            items: components["schemas"]["AppRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[ArtifactRead] */
        PageRead_ArtifactRead_: {
            /** Items */
            items: components["schemas"]["ArtifactRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[ChannelRead] */
        PageRead_ChannelRead_: {
            /** Items */
            items: components["schemas"]["ChannelRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[DeliveryRead] */
        PageRead_DeliveryRead_: {
            /** Items */
            items: components["schemas"]["DeliveryRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[EnrolmentRead] */
        PageRead_EnrolmentRead_: {
            /** Items */
            items: components["schemas"]["EnrolmentRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[EntitlementRead] */
        PageRead_EntitlementRead_: {
            /** Items */
            items: components["schemas"]["EntitlementRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[EntryRead] */
        PageRead_EntryRead_: {
            /** Items */
            items: components["schemas"]["EntryRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[FamilyRead] */
        PageRead_FamilyRead_: {
            /** Items */
            items: components["schemas"]["FamilyRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[InstanceRead] */
        PageRead_InstanceRead_: {
            /** Items */
            items: components["schemas"]["InstanceRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[KeyRead] */
        PageRead_KeyRead_: {
            /** Items */
            items: components["schemas"]["KeyRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[MemberRead] */
        PageRead_MemberRead_: {
            /** Items */
            items: components["schemas"]["MemberRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[MembershipRead] */
        PageRead_MembershipRead_: {
            /** Items */
            items: components["schemas"]["MembershipRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[NodeRead] */
        PageRead_NodeRead_: {
            /** Items */
            items: components["schemas"]["NodeRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[OidcProviderRead] */
        PageRead_OidcProviderRead_: {
            /** Items */
            items: components["schemas"]["OidcProviderRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[OperationRead] */
        PageRead_OperationRead_: {
            /** Items */
            items: components["schemas"]["OperationRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[OrgRead] */
        PageRead_OrgRead_: {
            /** Items */
            items: components["schemas"]["OrgRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[ProjectRead] */
        PageRead_ProjectRead_: {
            /** Items */
            items: components["schemas"]["ProjectRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[PromotionRead] */
        PageRead_PromotionRead_: {
            /** Items */
            items: components["schemas"]["PromotionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[PublisherKeyRead] */
        PageRead_PublisherKeyRead_: {
            /** Items */
            items: components["schemas"]["PublisherKeyRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[RegionRead] */
        PageRead_RegionRead_: {
            /** Items */
            items: components["schemas"]["RegionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[RevisionRead] */
        PageRead_RevisionRead_: {
            /** Items */
            items: components["schemas"]["RevisionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[ServiceAccountRead] */
        PageRead_ServiceAccountRead_: {
            /** Items */
            items: components["schemas"]["ServiceAccountRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[SessionRead] */
        PageRead_SessionRead_: {
            /** Items */
            items: components["schemas"]["SessionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[SignatureRead] */
        PageRead_SignatureRead_: {
            /** Items */
            items: components["schemas"]["SignatureRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[SkuRead] */
        PageRead_SkuRead_: {
            /** Items */
            items: components["schemas"]["SkuRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[SourceRead] */
        PageRead_SourceRead_: {
            /** Items */
            items: components["schemas"]["SourceRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[SshAuthorityRead] */
        PageRead_SshAuthorityRead_: {
            /** Items */
            items: components["schemas"]["SshAuthorityRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[UnixLoginRead] */
        PageRead_UnixLoginRead_: {
            /** Items */
            items: components["schemas"]["UnixLoginRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[UserRead] */
        PageRead_UserRead_: {
            /** Items */
            items: components["schemas"]["UserRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[VersionRead] */
        PageRead_VersionRead_: {
            /** Items */
            items: components["schemas"]["VersionRead"][];
            /** Next */
            next: string | null;
        };
        /** PageRead[WebhookRead] */
        PageRead_WebhookRead_: {
            /** Items */
            items: components["schemas"]["WebhookRead"][];
            /** Next */
            next: string | null;
        };
        /** PasswordChange */
        PasswordChange: {
            /**
             * Current
             * Format: password
             */
            current: string;
            /**
             * Password
             * Format: password
             */
            password: string;
        };
        /** PasswordCodeIssue */
        PasswordCodeIssue: {
            /** Reason */
            reason?: string | null;
        };
        /** PasswordCodeRead */
        PasswordCodeRead: {
            /** Code */
            code: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** User Id */
            user_id: string;
        };
        /** PasswordSet */
        PasswordSet: {
            /** Code */
            code: string;
            /**
             * Password
             * Format: password
             */
            password: string;
        };
        /**
         * PermissionDiffRead
         * @description What a version asks for, against what was accepted.
         */
        PermissionDiffRead: {
            /** Consent */
            consent: string;
            /** Consent Needed */
            consent_needed: boolean;
            declaration: components["schemas"]["DeclarationRead"];
            /** Entitlement Id */
            entitlement_id: string;
            /** Narrower */
            narrower: components["schemas"]["DeclarationAskRead"][];
            version: components["schemas"]["EntitledVersion"];
            /** Wider */
            wider: components["schemas"]["DeclarationAskRead"][];
        };
        /**
         * PlacedRead
         * @description How nodes were chosen.
         */
        PlacedRead: {
            /** Considered */
            considered: number;
            /** Free */
            free: number;
            /** Not Free */
            not_free: {
                [key: string]: number;
            };
            /** Strategy */
            strategy: string;
        };
        /**
         * PlacementRead
         * @description Why this node.
         */
        PlacementRead: {
            /** Considered */
            considered: number;
            /** Free */
            free: number;
            /** Strategy */
            strategy: string;
            /** Why */
            why: string;
        };
        /**
         * PlacementWrite
         * @description Machines for the members of one component: named ones, or so many of a SKU in a region.
         */
        PlacementWrite: {
            /** Allocations */
            allocations?: string[];
            /** Count */
            count?: number | null;
            /**
             * Keep Allocations
             * @default false
             */
            keep_allocations: boolean;
            /** Region */
            region?: string | null;
            /** Sku */
            sku?: string | null;
        };
        /**
         * PlanCostRead
         * @description Held time at the list price: an estimate, not a bill.
         */
        PlanCostRead: {
            /** After Micros Per Hour */
            after_micros_per_hour: number;
            /** Before Micros Per Hour */
            before_micros_per_hour: number;
            /** Currency */
            currency: string;
            /** Label */
            label: string;
        };
        /** PlanRead */
        PlanRead: {
            /** App Version */
            app_version: string;
            /** Applied Operation Id */
            applied_operation_id: string | null;
            /** Changes */
            changes: components["schemas"]["EffectRead"][];
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Correlation Id */
            correlation_id: string;
            /** Cost */
            cost: components["schemas"]["PlanCostRead"][];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Created By Name */
            created_by_name: string | null;
            /**
             * Effect
             * @enum {string}
             */
            effect: "none" | "reconfigure" | "restart";
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /** Instance Id */
            instance_id: string | null;
            /** Kind */
            kind: string;
            /** Loses */
            loses: string[];
            /** Members */
            members: components["schemas"]["TouchedRead"][];
            /** Members Total */
            members_total: number;
            policy: components["schemas"]["PolicyRead"];
            /** Project Id */
            project_id: string;
            /** Version */
            version: number;
        };
        /** PlanVerdictRead */
        PlanVerdictRead: {
            /** Allowed */
            allowed: boolean | null;
            /** Layer */
            layer: string;
            /** Sentence */
            sentence: string;
            /** Who Can Change */
            who_can_change: string | null;
        };
        /**
         * PolicyQuestion
         * @description What somebody would like to do. What is left out is not judged.
         */
        PolicyQuestion: {
            /** Allocations */
            allocations?: number | null;
            /** App */
            app?: string | null;
            /** Artifact */
            artifact?: string | null;
            /** Artifact Sources */
            artifact_sources?: string[];
            /** Channel */
            channel?: string | null;
            /** Gpus */
            gpus?: number | null;
            /** Instances */
            instances?: number | null;
            /** Members */
            members?: number | null;
            /** Operation */
            operation: ("allocate" | "artifact.pull" | "instance.deploy" | "instance.configure" | "instance.upgrade" | "instance.rollback" | "instance.start" | "instance.restart" | "instance.repair" | "member.add" | "member.resume" | "member.replace" | "action" | "credential.rotate" | "node.session") | ("release" | "instance.stop" | "instance.decommission" | "member.drain" | "member.remove" | "operation.cancel");
            /** Project */
            project: string;
            /** Region */
            region?: string | null;
            /** Sku */
            sku?: string | null;
            /** Version */
            version?: string | null;
        };
        /** PolicyRead */
        PolicyRead: {
            /** Allowed */
            allowed: boolean;
            /** Verdicts */
            verdicts: components["schemas"]["PlanVerdictRead"][];
        };
        /**
         * PreviousBrief
         * @description What the instance was before the change that is under way.
         */
        PreviousBrief: {
            /** App Version */
            app_version: string;
            /** Config */
            config: {
                [key: string]: unknown;
            };
        };
        /**
         * PrincipalRead
         * @description Somebody who may be on the machines of an instance.
         */
        PrincipalRead: {
            /** Login */
            login: string;
            /** Name */
            name: string;
            /** Projects */
            projects: string[];
            /** Roles */
            roles: string[];
            /** Uid */
            uid: number;
            /** User Id */
            user_id: string;
        };
        /** Principals */
        Principals: {
            /** Items */
            items: components["schemas"]["PrincipalRead"][];
        };
        /** ProbesCreate */
        ProbesCreate: {
            /** Fence */
            fence: number;
            /** Probes */
            probes: components["schemas"]["ProbeWish"][];
        };
        /** ProbesTaken */
        ProbesTaken: {
            /** Tasks */
            tasks: components["schemas"]["ProbeTask"][];
        };
        /**
         * ProbeTask
         * @description A probe that a machine is to run.
         */
        ProbeTask: {
            /** Allocation Id */
            allocation_id: string;
            /** Id */
            id: string;
            /** Key */
            key: string;
            /** Status */
            status: string;
        };
        /** ProbeWish */
        ProbeWish: {
            /** Member */
            member: string;
            /** Name */
            name: string;
        };
        /**
         * Problem
         * @description RFC 9457 problem document.
         */
        Problem: {
            /** Code */
            code: string;
            /** Correlation Id */
            correlation_id: string;
            /** Detail */
            detail: string;
            /** Errors */
            errors: components["schemas"]["FaultRead"][];
            /**
             * Resource Id
             * @default null
             */
            resource_id: string | null;
            /** Status */
            status: number;
            /** Title */
            title: string;
            /** Type */
            type: string;
        };
        /** ProgressRead */
        ProgressRead: {
            /** Done */
            done: number;
            /** Total */
            total: number;
        };
        /** ProgressReport */
        ProgressReport: {
            /** Done */
            done: number;
            /** Total */
            total: number;
        };
        /** ProjectCreate */
        ProjectCreate: {
            /** Name */
            name: string;
            /** Slug */
            slug: string;
        };
        /** ProjectRead */
        ProjectRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** ProjectUpdate */
        ProjectUpdate: {
            /** Name */
            name: string;
        };
        /** PromotionCreate */
        PromotionCreate: {
            /**
             * Channel
             * @enum {string}
             */
            channel: "dev" | "staging" | "prod";
            /** Reason */
            reason?: string | null;
            /** Version */
            version: string;
        };
        /** PromotionRead */
        PromotionRead: {
            /** Actor Id */
            actor_id: string | null;
            /** Actor Kind */
            actor_kind: string | null;
            /** Actor Name */
            actor_name: string | null;
            /** App Id */
            app_id: string;
            /**
             * At
             * Format: date-time
             */
            at: string;
            /**
             * Channel
             * @enum {string}
             */
            channel: "dev" | "staging" | "prod";
            /** Correlation Id */
            correlation_id: string | null;
            /** Id */
            id: string;
            /** Manifest Digest */
            manifest_digest: string | null;
            /** Number */
            number: string | null;
            /** Previous Version Id */
            previous_version_id: string | null;
            /** Reason */
            reason: string | null;
            /** Sequence */
            sequence: number;
            /** Version Id */
            version_id: string | null;
        };
        /**
         * ProofRead
         * @description Shows that an entry was sealed as it is, to whoever knows the platform's audit key.
         */
        ProofRead: {
            /** Content */
            content: string;
            entry: components["schemas"]["EntryRead"];
            /** How To Check */
            how_to_check: string;
            /** Path */
            path: components["schemas"]["StepRead"][];
            public_key: components["schemas"]["AuditKeyRead"];
            seal: components["schemas"]["SealRead"];
            /** Seq */
            seq: number;
        };
        /**
         * PublicKey
         * @description An Ed25519 public key as a JWK.
         */
        PublicKey: {
            /**
             * Crv
             * @constant
             */
            crv: "Ed25519";
            /**
             * Kty
             * @constant
             */
            kty: "OKP";
            /** X */
            x: string;
        };
        /**
         * PublicKeyP256
         * @description A P-256 public key as a JWK.
         */
        PublicKeyP256: {
            /**
             * Crv
             * @constant
             */
            crv: "P-256";
            /**
             * Kty
             * @constant
             */
            kty: "EC";
            /** X */
            x: string;
            /** Y */
            y: string;
        };
        /** PublicKeyRead */
        PublicKeyRead: {
            /** Alg */
            alg: string;
            /** Crv */
            crv: string;
            /** Kid */
            kid: string;
            /** Kty */
            kty: string;
            /** Use */
            use: string;
            /** X */
            x: string;
        };
        /** PublisherKeyCreate */
        PublisherKeyCreate: {
            /** Name */
            name: string;
            /** Proof */
            proof?: string | null;
            public_key: components["schemas"]["PublisherPublicKey"];
        };
        /** PublisherKeyRead */
        PublisherKeyRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Public Key */
            public_key: {
                [key: string]: string;
            };
            /** Revoked */
            revoked: boolean;
            /** Revoked At */
            revoked_at: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /**
         * PublisherPublicKey
         * @description An Ed25519 public key as a JWK.
         */
        PublisherPublicKey: {
            /**
             * Crv
             * @constant
             */
            crv: "Ed25519";
            /**
             * Kty
             * @constant
             */
            kty: "OKP";
            /** X */
            x: string;
        };
        /** PullCreate */
        PullCreate: {
            /** App */
            app: string;
            /** Artifact */
            artifact: string;
            /** Channel */
            channel?: ("dev" | "staging" | "prod") | null;
            /** Version */
            version?: string | null;
        };
        /** PullIssued */
        PullIssued: {
            /** App Id */
            app_id: string;
            /** Artifact */
            artifact: string;
            /** Artifact Id */
            artifact_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Digest */
            digest: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Holder */
            holder: string;
            /** Id */
            id: string;
            /** Media Type */
            media_type: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /** Secret */
            secret: string;
            /** Signatures */
            signatures: components["schemas"]["PullSignature"][];
            /** Size */
            size: number;
            /** Url */
            url: string;
            /** Version */
            version: string;
            /** Version Id */
            version_id: string;
        };
        /**
         * PullSignature
         * @description A signature of the artifact's publisher, and the key to check it with.
         */
        PullSignature: {
            /** Key Id */
            key_id: string;
            /** Public Key */
            public_key: {
                [key: string]: string;
            };
            /** Signature */
            signature: string;
        };
        /**
         * Quotas
         * @description The most that may be in use at a time in the place of the layer.
         */
        Quotas: {
            /** Allocations */
            allocations?: number | null;
            /** Concurrent Operations */
            concurrent_operations?: number | null;
            /** Gpus */
            gpus?: number | null;
            /** Instances */
            instances?: number | null;
            /** Members */
            members?: number | null;
        };
        /** QuotasRead */
        QuotasRead: {
            /** Allocations */
            allocations?: number | null;
            /** Concurrent Operations */
            concurrent_operations?: number | null;
            /** Gpus */
            gpus?: number | null;
            /** Instances */
            instances?: number | null;
            /** Members */
            members?: number | null;
        };
        /** Received */
        Received: {
            /** Received */
            received: number;
        };
        /** RegionCreate */
        RegionCreate: {
            /** Name */
            name: string;
            /** Slug */
            slug: string;
        };
        /** RegionRead */
        RegionRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Retired At */
            retired_at: string | null;
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** RegionUpdate */
        RegionUpdate: {
            /** Name */
            name?: string | null;
            /** Retired */
            retired?: boolean | null;
        };
        /** RepairRequest */
        RepairRequest: {
            /** Fence */
            fence: number;
            /** Members */
            members?: string[];
            /** Reason */
            reason: string;
        };
        /**
         * RepairTaken
         * @description The repair that was asked for. It comes to you by a claim.
         */
        RepairTaken: {
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Status */
            status: string;
        };
        /** RepairWrite */
        RepairWrite: {
            /** Members */
            members?: string[];
            /** Reason */
            reason: string;
        };
        /** ReplicaBrief */
        ReplicaBrief: {
            /** Id */
            id: string;
            /**
             * Lease Expires At
             * Format: date-time
             */
            lease_expires_at: string;
            /** Lease Seconds */
            lease_seconds: number;
        };
        /**
         * ReportCreate
         * @description What has become of an operation since the last report. It renews the lease.
         */
        ReportCreate: {
            error?: components["schemas"]["ErrorReport"] | null;
            /** Fence */
            fence: number;
            instance?: components["schemas"]["InstanceSaid"] | null;
            member?: components["schemas"]["MemberSaid"] | null;
            /** Message */
            message?: string | null;
            progress?: components["schemas"]["ProgressReport"] | null;
            /**
             * Recovery
             * @default operator
             * @enum {string}
             */
            recovery: "retryable" | "reconcilable" | "repairable" | "operator" | "terminal";
            /** Residue */
            residue?: components["schemas"]["ResidueReport"][];
            /** Result */
            result?: unknown;
            /** Sequence */
            sequence: number;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "undoing" | "waiting" | "blocked" | "succeeded" | "failed" | "cancelled";
            /** Steps */
            steps?: components["schemas"]["StepReport"][];
            wait?: components["schemas"]["WaitReport"] | null;
        };
        /**
         * ReportEntry
         * @description One report of several.
         */
        ReportEntry: {
            error?: components["schemas"]["ErrorReport"] | null;
            /** Fence */
            fence: number;
            /** Grant */
            grant: string;
            instance?: components["schemas"]["InstanceSaid"] | null;
            member?: components["schemas"]["MemberSaid"] | null;
            /** Message */
            message?: string | null;
            /** Operation */
            operation: string;
            progress?: components["schemas"]["ProgressReport"] | null;
            /**
             * Recovery
             * @default operator
             * @enum {string}
             */
            recovery: "retryable" | "reconcilable" | "repairable" | "operator" | "terminal";
            /** Residue */
            residue?: components["schemas"]["ResidueReport"][];
            /** Result */
            result?: unknown;
            /** Sequence */
            sequence: number;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "undoing" | "waiting" | "blocked" | "succeeded" | "failed" | "cancelled";
            /** Steps */
            steps?: components["schemas"]["StepReport"][];
            wait?: components["schemas"]["WaitReport"] | null;
        };
        /** Reports */
        Reports: {
            /** Reports */
            reports: components["schemas"]["ReportEntry"][];
        };
        /**
         * ReportsTaken
         * @description In the order of the request.
         */
        ReportsTaken: {
            /** Reports */
            reports: components["schemas"]["EntryTaken"][];
        };
        /**
         * ReportTaken
         * @description How the operation stands now. The lease is renewed.
         */
        ReportTaken: {
            /** Cancel Reason */
            cancel_reason: string | null;
            /** Cancel Requested */
            cancel_requested: boolean;
            /**
             * Direction
             * @enum {string}
             */
            direction: "forward" | "undo";
            /** Fence */
            fence: number;
            /** Lease Expires At */
            lease_expires_at: string | null;
            /** Sequence */
            sequence: number;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
        };
        /** RequesterBrief */
        RequesterBrief: {
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Name */
            name: string;
        };
        /**
         * ResidueRead
         * @description What could not be taken back, or nobody knows.
         */
        ResidueRead: {
            /** What */
            what: string;
            /** Where */
            where: string | null;
            /** Why */
            why: string;
        };
        /**
         * ResidueReport
         * @description What could not be taken back.
         */
        ResidueReport: {
            /** What */
            what: string;
            /** Where */
            where: string;
            /** Why */
            why: string;
        };
        /** ResolvedVersion */
        ResolvedVersion: {
            /** Id */
            id: string;
            /** Manifest Digest */
            manifest_digest: string;
            /** Number */
            number: string;
        };
        /** RestartWrite */
        RestartWrite: {
            /** Plan */
            plan?: string | null;
            /**
             * Reason
             * @default
             */
            reason: string;
        };
        /** RevisionRead */
        RevisionRead: {
            /** App Version */
            app_version: string;
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Created By */
            created_by: string;
            /** Created By Name */
            created_by_name: string | null;
            /** Kind */
            kind: string;
            /** Number */
            number: number;
            /** Operation Id */
            operation_id: string;
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "pending" | "applied" | "discarded";
            /** Version Id */
            version_id: string;
        };
        /** Revocation */
        Revocation: {
            /** Reason */
            reason: string;
        };
        /** RoleRead */
        RoleRead: {
            /** Description */
            description: string;
            /** Levels */
            levels: components["schemas"]["Level"][];
            /** Permissions */
            permissions: string[];
            /** Role */
            role: string;
        };
        /** RolesRead */
        RolesRead: {
            /** Items */
            items: components["schemas"]["RoleRead"][];
        };
        /** RollbackWrite */
        RollbackWrite: {
            /**
             * Accept Losses
             * @default false
             */
            accept_losses: boolean;
            /** Deadline */
            deadline?: number | null;
            override?: components["schemas"]["Override"] | null;
            /** Plan */
            plan?: string | null;
            /**
             * Policy
             * @default wait
             * @enum {string}
             */
            policy: "wait" | "deadline" | "force";
            /** To Revision */
            to_revision?: number | null;
        };
        /** RotateWrite */
        RotateWrite: {
            /** Reason */
            reason: string;
        };
        /**
         * RuntimeSecretCreate
         * @description A secret for the operation's tasks. Its value goes to nodes and to nobody else.
         *
         *     An app's secret is its instance's. Where that has one of this name, it stays as it is.
         */
        RuntimeSecretCreate: {
            /**
             * Encoding
             * @default text
             * @enum {string}
             */
            encoding: "text" | "base64";
            /** Expires In */
            expires_in?: number | null;
            /** Generate */
            generate?: number | null;
            /** Name */
            name: string;
            /**
             * Purpose
             * @enum {string}
             */
            purpose: "artifact_pull" | "cluster_key" | "join" | "database";
            /**
             * Rotate
             * @default false
             */
            rotate: boolean;
            /** Value */
            value?: string | null;
        };
        /** RuntimeSecretRead */
        RuntimeSecretRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Expires At */
            expires_at: string | null;
            /** Generation */
            generation: number;
            /** Id */
            id: string;
            /** Instance Id */
            instance_id: string | null;
            /** Name */
            name: string;
            /** Operation Id */
            operation_id: string;
            /** Org Id */
            org_id: string;
            /** Project Id */
            project_id: string;
            /**
             * Purpose
             * @enum {string}
             */
            purpose: "artifact_pull" | "cluster_key" | "join" | "database";
            /** Version */
            version: number;
        };
        /**
         * SealRead
         * @description A signed statement about a batch of entries. Hashes and the signature are in hex.
         */
        SealRead: {
            /** At */
            at: string;
            /** Entries */
            entries: number;
            /** First Seq */
            first_seq: number;
            /** Key Id */
            key_id: string;
            /** Last Seq */
            last_seq: number;
            /** Number */
            number: number;
            /** Previous */
            previous: string;
            /** Root */
            root: string;
            /** Signature */
            signature: string;
            /** Signed */
            signed: string;
        };
        /**
         * SealsRead
         * @description Seals, the newest first, and the keys that they are checked with.
         */
        SealsRead: {
            /** Items */
            items: components["schemas"]["SealRead"][];
            /** Keys */
            keys: components["schemas"]["AuditKeyRead"][];
            /** Next */
            next: string | null;
        };
        /** SecretRotation */
        SecretRotation: {
            /**
             * Overlap Hours
             * @default 24
             */
            overlap_hours: number;
        };
        /** ServiceAccountCreate */
        ServiceAccountCreate: {
            /** Name */
            name: string;
            /** Permissions */
            permissions: string[];
        };
        /** ServiceAccountRead */
        ServiceAccountRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Disabled */
            disabled: boolean;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Permissions */
            permissions: string[];
            /** Project Id */
            project_id: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** ServiceAccountUpdate */
        ServiceAccountUpdate: {
            /** Disabled */
            disabled?: boolean | null;
            /** Name */
            name?: string | null;
            /** Permissions */
            permissions?: string[] | null;
        };
        /**
         * SessionCreate
         * @description An admin's work on machines that the project holds.
         */
        SessionCreate: {
            /** Allocations */
            allocations: string[];
            /**
             * Lease
             * @default 3600
             */
            lease: number;
            /** Reason */
            reason: string;
        };
        /** SessionIssued */
        SessionIssued: {
            /** Action */
            action: string | null;
            /** Allocations */
            allocations: string[];
            /** App Slug */
            app_slug: string | null;
            /** Attempt */
            attempt: number;
            /** Cancel Reason */
            cancel_reason: string | null;
            /** Cancel Requested At */
            cancel_requested_at: string | null;
            children: components["schemas"]["ChildrenRead"] | null;
            /** Correlation Id */
            correlation_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Deadline */
            deadline: string | null;
            /**
             * Direction
             * @enum {string}
             */
            direction: "forward" | "undo";
            /** Due At */
            due_at: string | null;
            /** Ended At */
            ended_at: string | null;
            error: components["schemas"]["ErrorRead"] | null;
            /** Fence */
            fence: number;
            /** Id */
            id: string;
            /** Input */
            input: {
                [key: string]: unknown;
            } | null;
            /** Instance Id */
            instance_id: string | null;
            /** Instance Name */
            instance_name: string | null;
            /** Kind */
            kind: string;
            /** Lease Expires At */
            lease_expires_at: string | null;
            /** Member Id */
            member_id: string | null;
            /** Member Name */
            member_name: string | null;
            /** Message */
            message: string | null;
            /** No Return */
            no_return: boolean;
            /** Operator Id */
            operator_id: string | null;
            /** Org Id */
            org_id: string;
            /** Parent Id */
            parent_id: string | null;
            /** Phase */
            phase: ("prepare" | "children" | "finish") | null;
            progress: components["schemas"]["ProgressRead"] | null;
            /** Project Id */
            project_id: string;
            /** Reason */
            reason: string;
            /** Recovery */
            recovery: ("retryable" | "reconcilable" | "repairable" | "operator" | "terminal") | null;
            /** Requested By */
            requested_by: string;
            /** Requested By Kind */
            requested_by_kind: string;
            /** Requested By Name */
            requested_by_name: string;
            /** Residue */
            residue: components["schemas"]["ResidueRead"][];
            /** Result */
            result: unknown;
            /**
             * Status
             * @enum {string}
             */
            status: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
            /** Token */
            token: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Verbs */
            verbs: ("retry" | "resume" | "cancel" | "abandon" | "replace")[];
            /** Version */
            version: number;
        };
        /** SessionRead */
        SessionRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Id */
            id: string;
            /**
             * Seen At
             * Format: date-time
             */
            seen_at: string;
            /** User Agent */
            user_agent: string;
        };
        /** SignatureCreate */
        SignatureCreate: {
            /** Key */
            key: string;
            /** Signature */
            signature: string;
        };
        /** SignatureRead */
        SignatureRead: {
            /** Artifact Id */
            artifact_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Key Id */
            key_id: string;
            /** Public Key */
            public_key: {
                [key: string]: string;
            };
            /** Revoked At */
            revoked_at: string | null;
            /** Signature */
            signature: string;
        };
        /**
         * SignInChoice
         * @description One button of the login page.
         */
        SignInChoice: {
            /** Name */
            name: string;
            /** Slug */
            slug: string;
        };
        /** SignInChoices */
        SignInChoices: {
            /** Items */
            items: components["schemas"]["SignInChoice"][];
        };
        /**
         * SkuCreate
         * @description A class of machines. What they are made of stays as it is: another shape is another SKU.
         */
        SkuCreate: {
            /** Cpus */
            cpus: number;
            /** Currency */
            currency: string;
            /** Gpu Model */
            gpu_model?: string | null;
            /**
             * Gpus
             * @default 0
             */
            gpus: number;
            /** Memory Bytes */
            memory_bytes: number;
            /** Name */
            name: string;
            /** Price Micros */
            price_micros: number;
            /** Slug */
            slug: string;
        };
        /** SkuRead */
        SkuRead: {
            /** Cpus */
            cpus: number;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Currency */
            currency: string;
            /** Gpu Model */
            gpu_model: string | null;
            /** Gpus */
            gpus: number;
            /** Id */
            id: string;
            /** Memory Bytes */
            memory_bytes: number;
            /** Name */
            name: string;
            /** Price Micros */
            price_micros: number;
            /** Retired At */
            retired_at: string | null;
            /** Slug */
            slug: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** SkuUpdate */
        SkuUpdate: {
            /** Name */
            name?: string | null;
            /** Price Micros */
            price_micros?: number | null;
            /** Retired */
            retired?: boolean | null;
        };
        /** SourceCreate */
        SourceCreate: {
            credential?: components["schemas"]["SourceCredential"] | null;
            /**
             * Enabled
             * @default true
             */
            enabled: boolean;
            /**
             * Kind
             * @enum {string}
             */
            kind: "oci" | "https";
            /** Name */
            name: string;
            /** Slug */
            slug: string;
            /** Token Url */
            token_url?: string | null;
            /**
             * Url
             * @description https, with no user name, no query and no fragment.
             */
            url: string;
        };
        /**
         * SourceCredential
         * @description A user name with its password, or a token.
         */
        SourceCredential: {
            /** Password */
            password?: string | null;
            /** Token */
            token?: string | null;
            /** Username */
            username?: string | null;
        };
        /** SourceRead */
        SourceRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enabled */
            enabled: boolean;
            /** Has Credential */
            has_credential: boolean;
            /** Id */
            id: string;
            /** Kind */
            kind: string;
            /** Name */
            name: string;
            /** Org Id */
            org_id: string;
            /** Policy Name */
            policy_name: string;
            /** Shared */
            shared: boolean;
            /** Slug */
            slug: string;
            /** Token Url */
            token_url: string | null;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Url */
            url: string;
            /** Version */
            version: number;
        };
        /**
         * SourceUpdate
         * @description What is left out stays as it is. The kind stays: artifacts are addressed by it.
         */
        SourceUpdate: {
            /** Clear */
            clear?: ("credential" | "token_url")[] | null;
            credential?: components["schemas"]["SourceCredential"] | null;
            /** Enabled */
            enabled?: boolean | null;
            /** Name */
            name?: string | null;
            /** Token Url */
            token_url?: string | null;
            /** Url */
            url?: string | null;
        };
        /** SshAuthorityRead */
        SshAuthorityRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Fingerprint */
            fingerprint: string;
            /** Id */
            id: string;
            /** Public Key */
            public_key: string;
            /** Retired At */
            retired_at: string | null;
        };
        /** SshAuthorityRotate */
        SshAuthorityRotate: {
            /**
             * At Once
             * @default false
             */
            at_once: boolean;
            /** Reason */
            reason: string;
        };
        /** SshCertificateCreate */
        SshCertificateCreate: {
            /** Public Key */
            public_key: string;
        };
        /** SshCertificateRead */
        SshCertificateRead: {
            /** Addresses */
            addresses: string[];
            /** Certificate */
            certificate: string;
            /**
             * Expires At
             * Format: date-time
             */
            expires_at: string;
            /** Grant Id */
            grant_id: string;
            /** Host Keys */
            host_keys: string[];
            /** Key Id */
            key_id: string;
            /** Login */
            login: string;
            /** Node Name */
            node_name: string;
            /** Port */
            port: number;
            /** Principal */
            principal: string;
            /** Serial */
            serial: number;
        };
        /** SshHostConfirm */
        SshHostConfirm: {
            /** Fingerprint */
            fingerprint: string;
        };
        /** SshHostRead */
        SshHostRead: {
            /** Address */
            address: string;
            /** Allocation Id */
            allocation_id: string;
            /** Confirmed At */
            confirmed_at: string | null;
            /** Confirmed By */
            confirmed_by: string | null;
            /** Credential Id */
            credential_id: string | null;
            /** Host Fingerprint */
            host_fingerprint: string | null;
            /** Offered At */
            offered_at: string | null;
            /** Offered Fingerprint */
            offered_fingerprint: string | null;
            /** Port */
            port: number;
            /** Problem */
            problem: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "unset" | "unconfirmed" | "confirmed";
            /** Version */
            version: number;
        };
        /** SshHostWrite */
        SshHostWrite: {
            /** Credential */
            credential: string;
        };
        /** StartWrite */
        StartWrite: {
            /** Plan */
            plan?: string | null;
            /**
             * Reason
             * @default
             */
            reason: string;
        };
        /** StatusRead */
        StatusRead: {
            /** Status */
            status: string;
            /** Version */
            version: string;
        };
        /**
         * StepBrief
         * @description An entry of an operation's journal.
         */
        StepBrief: {
            /** Attempt */
            attempt: number;
            /** Message */
            message: string | null;
            /** Name */
            name: string;
            /** No Return */
            no_return: boolean;
            /** Number */
            number: number;
            /**
             * Phase
             * @enum {string}
             */
            phase: "run" | "prepare" | "finish";
            /** Result */
            result: unknown;
            /** Status */
            status: string;
            /** Undo */
            undo: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * StepProof
         * @description What a node said of one of the platform's own tasks. Evidence, not proof against its root.
         */
        StepProof: {
            /** At */
            at: string | null;
            /** Error */
            error: string | null;
            /** Result */
            result: {
                [key: string]: unknown;
            };
            /** Status */
            status: string;
            /** Task Id */
            task_id: string;
        };
        /** StepRead */
        StepRead: {
            /** Hash */
            hash: string;
            /**
             * Side
             * @enum {string}
             */
            side: "left" | "right";
        };
        /**
         * StepReport
         * @description An entry of the journal. Written before the step begins, and again at its end.
         */
        StepReport: {
            /**
             * Attempt
             * @default 1
             */
            attempt: number;
            /** Message */
            message?: string | null;
            /** Name */
            name: string;
            /**
             * No Return
             * @default false
             */
            no_return: boolean;
            /** Number */
            number: number;
            /**
             * Phase
             * @default run
             * @enum {string}
             */
            phase: "run" | "prepare" | "finish";
            /** Result */
            result?: unknown;
            /**
             * Status
             * @enum {string}
             */
            status: "running" | "succeeded" | "failed" | "undoing" | "undone" | "undo_failed";
            undo?: components["schemas"]["UndoReport"] | null;
        };
        /** StepsRead */
        StepsRead: {
            /** Items */
            items: components["schemas"]["OperationStepRead"][];
        };
        /** StopWrite */
        StopWrite: {
            /** Plan */
            plan?: string | null;
            /**
             * Preempt
             * @default false
             */
            preempt: boolean;
            /**
             * Reason
             * @default
             */
            reason: string;
        };
        /** System */
        System: {
            /** Id */
            id?: string | null;
            /** Kernel */
            kernel?: string | null;
            /** Version */
            version?: string | null;
        };
        /**
         * TaskCreate
         * @description One thing to do on one machine.
         */
        TaskCreate: {
            /** Allocation */
            allocation: string;
            /**
             * Attempt
             * @default 1
             */
            attempt: number;
            /** Input */
            input: {
                [key: string]: unknown;
            };
            /** Key */
            key: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "exec" | "put" | "get" | "packages" | "service" | "access-sync" | "probe" | "wipe";
            /** Output Limit */
            output_limit?: number | null;
            /**
             * Repeatable
             * @default false
             */
            repeatable: boolean;
            /**
             * Run As
             * @default root
             */
            run_as: string;
            /**
             * Timeout
             * @default 600
             */
            timeout: number;
        };
        /**
         * TaskPageRead
         * @description One page of an operation's tasks. Ask again with `after` = `next` until `next` is null.
         */
        TaskPageRead: {
            /** Items */
            items: components["schemas"]["TaskRead"][];
            /** Next */
            next: string | null;
            /** Open */
            open: number;
        };
        /** TaskRead */
        TaskRead: {
            /** Allocation Id */
            allocation_id: string;
            /** Attempt */
            attempt: number;
            /** Cancel Requested At */
            cancel_requested_at: string | null;
            /** Changed */
            changed: boolean | null;
            /** Content Bytes */
            content_bytes: number;
            /** Correlation Id */
            correlation_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Ended At */
            ended_at: string | null;
            /** Error Code */
            error_code: string | null;
            /** Error Message */
            error_message: string | null;
            /** Fence */
            fence: number;
            /** Id */
            id: string;
            /** Key */
            key: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "exec" | "put" | "get" | "packages" | "service" | "access-sync" | "probe" | "wipe";
            /** Late */
            late: {
                [key: string]: unknown;
            } | null;
            /** Node Name */
            node_name: string | null;
            /** Operation Id */
            operation_id: string;
            /** Org Id */
            org_id: string;
            /** Output Limit */
            output_limit: number;
            /** Project Id */
            project_id: string;
            /** Repeatable */
            repeatable: boolean;
            /** Result */
            result: {
                [key: string]: unknown;
            } | null;
            /** Run As */
            run_as: string;
            /** Sent At */
            sent_at: string | null;
            /** Started At */
            started_at: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "queued" | "sent" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "unknown";
            /** Stderr Bytes */
            stderr_bytes: number;
            /** Stdout Bytes */
            stdout_bytes: number;
            /** Timeout Seconds */
            timeout_seconds: number;
            /** Version */
            version: number;
        };
        /**
         * TasksCreate
         * @description All are taken, or none.
         */
        TasksCreate: {
            /** Tasks */
            tasks: components["schemas"]["TaskCreate"][];
        };
        /** TasksRead */
        TasksRead: {
            /** Tasks */
            tasks: components["schemas"]["TaskRead"][];
        };
        /** TokenRead */
        TokenRead: {
            /** Access Token */
            access_token: string;
            /** Expires In */
            expires_in: number;
            /**
             * Token Type
             * @constant
             */
            token_type: "Bearer";
        };
        /**
         * TokenRequest
         * @description Either an assertion signed by one of the account's keys, or a key's id with its secret.
         */
        TokenRequest: {
            /** Client Assertion */
            client_assertion?: string | null;
            /** Client Secret */
            client_secret?: string | null;
            /** Key */
            key: string;
            /** Service Account */
            service_account: string;
        };
        /** TouchedRead */
        TouchedRead: {
            /** Component */
            component: string;
            /** Does */
            does: string;
            /** Id */
            id: string | null;
            /** Name */
            name: string;
        };
        /**
         * TriageLayerRead
         * @description What one layer of policy says to it now.
         */
        TriageLayerRead: {
            /** Allowed */
            allowed: boolean | null;
            /** Layer */
            layer: string;
            /** Sentence */
            sentence: string;
            /** Who Can Change */
            who_can_change: string | null;
        };
        /** TriageOpen */
        TriageOpen: {
            /** Org */
            org: string;
            /** Reason */
            reason: string;
        };
        /** TriageRead */
        TriageRead: {
            cause: components["schemas"]["CauseRead"] | null;
            /** Correlation Id */
            correlation_id: string;
            /** Next */
            next: components["schemas"]["NextRead"][];
            /** Operations */
            operations: components["schemas"]["OperationRead"][];
            /** Policy */
            policy: components["schemas"]["TriageLayerRead"][];
            /** Timeline */
            timeline: components["schemas"]["MomentRead"][];
        };
        /**
         * UndoReport
         * @description The registered function that takes a step back, so that any replica can run it.
         */
        UndoReport: {
            /** Arguments */
            arguments?: unknown[];
            /** Function */
            function: string;
        };
        /** UnixLoginCreate */
        UnixLoginCreate: {
            /** Login */
            login?: string | null;
            /** User */
            user: string;
        };
        /** UnixLoginRead */
        UnixLoginRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Id */
            id: string;
            /** Login */
            login: string;
            /** Org Id */
            org_id: string;
            /** Uid */
            uid: number;
            /** User Id */
            user_id: string;
        };
        /** UpgradeWrite */
        UpgradeWrite: {
            /** Config */
            config?: {
                [key: string]: unknown;
            } | null;
            /** Plan */
            plan?: string | null;
            /** Version */
            version: string;
        };
        /** UsageReport */
        UsageReport: {
            /** Fence */
            fence: number;
            /** Records */
            records: components["schemas"]["UsageSaid"][];
        };
        /**
         * UsageSaid
         * @description Something that the app counted.
         */
        UsageSaid: {
            /**
             * From At
             * Format: date-time
             */
            from_at: string;
            /** Key */
            key: string;
            /** Meter */
            meter: string;
            /** Project */
            project?: string | null;
            /** Quantity */
            quantity: number;
            /**
             * Until At
             * Format: date-time
             */
            until_at: string;
        };
        /** UsageTaken */
        UsageTaken: {
            /** Recorded */
            recorded: number;
            /** Repeated */
            repeated: number;
        };
        /** UserCreate */
        UserCreate: {
            /** Email */
            email: string;
            /** Name */
            name: string;
        };
        /** UserRead */
        UserRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Disabled */
            disabled: boolean;
            /** Email */
            email: string;
            /** Has Password */
            has_password: boolean;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** UserUpdate */
        UserUpdate: {
            /** Disabled */
            disabled?: boolean | null;
            /** Name */
            name?: string | null;
        };
        /**
         * VerbCreate
         * @description A person's word on an operation.
         */
        VerbCreate: {
            /** Reason */
            reason: string;
        };
        /** VerdictRead */
        VerdictRead: {
            /** Allowed */
            allowed: boolean | null;
            /** Dimension */
            dimension: string | null;
            /**
             * Layer
             * @enum {string}
             */
            layer: "catalog" | "entitlement" | "consent" | "family" | "trust" | "global" | "tenant" | "org" | "project" | "entitlement_overlay";
            /** Sentence */
            sentence: string;
            /** Value */
            value: string | null;
            /** Who Can Change */
            who_can_change: string | null;
        };
        /** VersionArtifact */
        VersionArtifact: {
            /** Artifact Id */
            artifact_id: string | null;
            /** Digest */
            digest: string;
            /** Lifecycle */
            lifecycle: string | null;
            /** Media Type */
            media_type: string;
            /** Name */
            name: string;
            /** Size */
            size: number;
            /** Trust */
            trust: string | null;
        };
        /** VersionDeprecate */
        VersionDeprecate: {
            /** Note */
            note: string;
        };
        /** VersionDetail */
        VersionDetail: {
            /** App Id */
            app_id: string;
            /** Artifacts */
            artifacts: components["schemas"]["VersionArtifact"][];
            /** Channels */
            channels: ("dev" | "staging" | "prod")[];
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Declaration */
            declaration: {
                [key: string]: unknown;
            };
            /** Declaration Digest */
            declaration_digest: string;
            /** Deprecated At */
            deprecated_at: string | null;
            /** Id */
            id: string;
            /** Manifest */
            manifest: {
                [key: string]: unknown;
            };
            /** Manifest Digest */
            manifest_digest: string;
            /** Manifest Text */
            manifest_text: string;
            /** Note */
            note: string | null;
            /** Number */
            number: string;
            /** Published At */
            published_at: string | null;
            /** Retired At */
            retired_at: string | null;
            /** Runbook */
            runbook: string;
            /**
             * Status
             * @enum {string}
             */
            status: "draft" | "published" | "deprecated" | "retired";
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** VersionPublish */
        VersionPublish: {
            /** Manifest Digest */
            manifest_digest?: string | null;
        };
        /** VersionRead */
        VersionRead: {
            /** App Id */
            app_id: string;
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Declaration Digest */
            declaration_digest: string;
            /** Deprecated At */
            deprecated_at: string | null;
            /** Id */
            id: string;
            /** Manifest Digest */
            manifest_digest: string;
            /** Note */
            note: string | null;
            /** Number */
            number: string;
            /** Published At */
            published_at: string | null;
            /** Retired At */
            retired_at: string | null;
            /**
             * Status
             * @enum {string}
             */
            status: "draft" | "published" | "deprecated" | "retired";
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Version */
            version: number;
        };
        /** VersionRetire */
        VersionRetire: {
            /** Reason */
            reason: string;
        };
        /** VersionWrite */
        VersionWrite: {
            /** Manifest */
            manifest: string;
            /**
             * Runbook
             * @default
             */
            runbook: string;
        };
        /** ViewList */
        ViewList: {
            /** Items */
            items: components["schemas"]["ViewRead"][];
        };
        /** ViewPage */
        ViewPage: {
            /** Items */
            items: components["schemas"]["ViewRowRead"][];
            /** Next */
            next: string | null;
            view: components["schemas"]["ViewRead"];
        };
        /** ViewPut */
        ViewPut: {
            /**
             * Complete
             * @default false
             */
            complete: boolean;
            /** Deletes */
            deletes?: string[];
            /** Fence */
            fence: number;
            /** Generation */
            generation: number;
            /** Total */
            total?: number | null;
            /** Upserts */
            upserts?: {
                [key: string]: unknown;
            }[];
        };
        /** ViewRead */
        ViewRead: {
            /** Columns */
            columns: components["schemas"]["ColumnRead"][];
            /** Generation */
            generation: number;
            /** Instance Id */
            instance_id: string;
            /** Key */
            key: string;
            /** Name */
            name: string;
            /** Observed At */
            observed_at: string | null;
            /** Permission */
            permission: string;
            /** Readable */
            readable: boolean;
            /** Row Count */
            row_count: number;
            /** Title */
            title: string;
            /** Total */
            total: number;
            /** Truncated */
            truncated: boolean;
        };
        /** ViewRowRead */
        ViewRowRead: {
            /** Data */
            data: {
                [key: string]: unknown;
            };
            /** Key */
            key: string;
        };
        /**
         * ViewState
         * @description What was made of what you sent.
         */
        ViewState: {
            /** Generation */
            generation: number;
            /** Row Count */
            row_count: number;
            /** Total */
            total: number;
            /** Truncated */
            truncated: boolean;
        };
        /** WaitingVersion */
        WaitingVersion: {
            /** Consent */
            consent: string;
            /** Id */
            id: string;
            /** Number */
            number: string;
            /** Status */
            status: string;
        };
        /**
         * WaitReport
         * @description It gives its lease back for so long, or until one of the hints comes.
         */
        WaitReport: {
            /** Hints */
            hints?: string[];
            /**
             * Retry
             * @default false
             */
            retry: boolean;
            /** Seconds */
            seconds?: number | null;
        };
        /**
         * WatchBrief
         * @description An instance that is yours to look after.
         */
        WatchBrief: {
            /** Fence */
            fence: number;
            /** Grant */
            grant: string;
            /** Handout */
            handout: number;
            /** Instance Id */
            instance_id: string;
        };
        /** WebhookCreate */
        WebhookCreate: {
            /**
             * Enabled
             * @default true
             */
            enabled: boolean;
            /** Org */
            org: string;
            /** Project */
            project?: string | null;
            /**
             * Types
             * @description Event types: `iam.org.created`, all that begin alike as `iam.*`, or `*`.
             */
            types: string[];
            /**
             * Url
             * @description Where to POST the events: https, no user name, no fragment.
             */
            url: string;
        };
        /**
         * WebhookIssued
         * @description A webhook with its signing secret, which is shown this once.
         */
        WebhookIssued: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enabled */
            enabled: boolean;
            /** Id */
            id: string;
            /** Org Id */
            org_id: string;
            /** Previous Until */
            previous_until: string | null;
            /** Project Id */
            project_id: string | null;
            /** Secret */
            secret: string;
            /** Types */
            types: string[];
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Url */
            url: string;
            /** Version */
            version: number;
        };
        /** WebhookRead */
        WebhookRead: {
            /**
             * Created At
             * Format: date-time
             */
            created_at: string;
            /** Enabled */
            enabled: boolean;
            /** Id */
            id: string;
            /** Org Id */
            org_id: string;
            /** Previous Until */
            previous_until: string | null;
            /** Project Id */
            project_id: string | null;
            /** Types */
            types: string[];
            /**
             * Updated At
             * Format: date-time
             */
            updated_at: string;
            /** Url */
            url: string;
            /** Version */
            version: number;
        };
        /**
         * WebhookUpdate
         * @description What is left out stays as it is.
         */
        WebhookUpdate: {
            /** Enabled */
            enabled?: boolean | null;
            /** Types */
            types?: string[] | null;
            /** Url */
            url?: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_jwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySetRead"];
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    get_access_credential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCredentialRead"];
                };
            };
        };
    };
    revoke_access_credential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCredentialRead"];
                };
            };
        };
    };
    rotate_access_credential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                credential: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialRotation"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCredentialRead"];
                };
            };
        };
    };
    list_access_tokens: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AccessTokenRead_"];
                };
            };
        };
    };
    create_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessTokenCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenIssued"];
                };
            };
        };
    };
    revoke_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_allocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationRead"];
                };
            };
        };
    };
    update_allocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllocationUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationRead"];
                };
            };
        };
    };
    get_allocation_evidence: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidencePage"];
                };
            };
        };
    };
    list_access_grants: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only those that live, or have ended. */
                live?: boolean;
                /** @description Only this person's. */
                user?: string;
            };
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AccessGrantRead_"];
                };
            };
        };
    };
    create_access_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessGrantCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrantRead"];
                };
            };
        };
    };
    release_allocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllocationRelease"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationRead"];
                };
            };
        };
    };
    get_ssh_host: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshHostRead"];
                };
            };
        };
    };
    set_ssh_host: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshHostWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshHostRead"];
                };
            };
        };
    };
    confirm_ssh_host: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshHostConfirm"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshHostRead"];
                };
            };
        };
    };
    scan_ssh_host: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshHostRead"];
                };
            };
        };
    };
    get_app_operator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operator: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppOperatorRead"];
                };
            };
        };
    };
    remove_app_operator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operator: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    replace_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    delete_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deprecate_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionDeprecate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    publish_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionPublish"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    restore_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    retire_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionRetire"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    list_apps: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Published by one of your orgs. */
                org?: string;
                /** @description Published by one of your projects. */
                project?: string;
                /** @description The app of this slug alone. */
                slug?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AppRead_"];
                };
            };
        };
    };
    get_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppRead"];
                };
            };
        };
    };
    delete_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppRead"];
                };
            };
        };
    };
    list_app_channels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_ChannelRead_"];
                };
            };
        };
    };
    clear_app_channel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
                channel: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_operators_of_app: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AppOperatorRead_"];
                };
            };
        };
    };
    list_app_promotions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description To this channel alone. */
                channel?: "dev" | "staging" | "prod";
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_PromotionRead_"];
                };
            };
        };
    };
    promote_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromotionCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromotionRead"];
                };
            };
        };
    };
    list_app_versions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description The one of this number. */
                number?: string;
                /** @description Those in this state alone. */
                status?: "draft" | "published" | "deprecated" | "retired";
            };
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_VersionRead_"];
                };
            };
        };
    };
    create_app_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
        };
    };
    get_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    delete_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArtifactUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    complete_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    put_artifact_content: {
        parameters: {
            query?: {
                /** @description Where these bytes begin. */
                offset?: number;
            };
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Received"];
                };
            };
        };
    };
    list_artifact_instances: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_InstanceRead_"];
                };
            };
        };
    };
    revoke_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Revocation"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    list_artifact_signatures: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_SignatureRead_"];
                };
            };
        };
    };
    sign_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignatureCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    list_audit_entries: {
        parameters: {
            query?: {
                /** @description The permission key of the action. */
                action?: string;
                /** @description Id of who did it or was refused. */
                actor?: string;
                /** @description The `next` of the page before. */
                after?: string;
                /** @description All that one request did. */
                correlation_id?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Go back in time from the newest. */
                newest_first?: boolean;
                /** @description Only entries of this org. */
                org?: string;
                outcome?: "allowed" | "denied";
                /** @description Only those of this project. */
                project?: string;
                /** @description At this moment or later. */
                since?: string;
                /** @description Id of what it was done to. */
                target?: string;
                /** @description Before this moment. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_EntryRead_"];
                };
            };
        };
    };
    get_audit_entry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryRead"];
                };
            };
        };
    };
    get_audit_proof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofRead"];
                };
            };
        };
    };
    list_audit_seals: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SealsRead"];
                };
            };
        };
    };
    create_device_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceCodeCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCodeIssued"];
                };
            };
        };
    };
    get_device_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As it was typed in. */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCodeRead"];
                };
            };
        };
    };
    approve_device_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As it was typed in. */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCodeRead"];
                };
            };
        };
    };
    deny_device_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As it was typed in. */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCodeRead"];
                };
            };
        };
    };
    redeem_device_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceTokenRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceTokenRead"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginRead"];
                };
            };
        };
    };
    finish_sign_in: {
        parameters: {
            query?: {
                code?: string;
                error?: string;
                iss?: string;
                state?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    start_sign_in: {
        parameters: {
            query?: {
                /** @description The page of this site to go to afterwards: a path, with its query. */
                return_to?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    list_sign_in_choices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInChoices"];
                };
            };
        };
    };
    set_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordSet"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    mint_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRead"];
                };
            };
        };
    };
    revoke_artifact_as_platform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Revocation"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    appoint_org_admin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdminAppoint"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipRead"];
                };
            };
        };
    };
    revoke_enrolment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                enrolment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_entitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntitlementDetail"];
                };
            };
        };
    };
    delete_entitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_entitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntitlementUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntitlementDetail"];
                };
            };
        };
    };
    give_consent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsentGive"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntitlementDetail"];
                };
            };
        };
    };
    get_permission_diff: {
        parameters: {
            query?: {
                /** @description A version's number or id. Left out: the one that the entitlement wants. */
                version?: string;
            };
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionDiffRead"];
                };
            };
        };
    };
    get_entitlement_overlay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayRead"];
                };
            };
        };
    };
    put_entitlement_overlay: {
        parameters: {
            query?: {
                /** @description Answer what the change would lead to, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                entitlement: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverlayWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayWritten"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                after?: string;
                /** @description Only those of this instance, its members and work. */
                instance?: string;
                limit?: number;
                /** @description Go back in time from the newest. */
                newest_first?: boolean;
                org?: string;
                project?: string;
                /** @description Only these types; `iam.*` is a whole family. */
                type?: string[];
                /** @description Seconds to wait for the first. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsRead"];
                };
            };
        };
    };
    stream_events: {
        parameters: {
            query?: {
                after?: string;
                org?: string;
                project?: string;
                /** @description Only these types; `iam.*` is a whole family. */
                type?: string[];
                /** @description Instances to give hints about as they move. */
                watch?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_families: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_FamilyRead_"];
                };
            };
        };
    };
    get_family: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                family: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FamilyRead"];
                };
            };
        };
    };
    put_family: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                family: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FamilyWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FamilyRead"];
                };
            };
        };
    };
    list_admissions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                family: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AdmissionRead_"];
                };
            };
        };
    };
    get_admission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
                family: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdmissionRead"];
                };
            };
        };
    };
    admit_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
                family: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdmissionWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdmissionRead"];
                };
            };
        };
    };
    withdraw_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app: string;
                family: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_access_grant: {
        parameters: {
            query?: {
                /** @description Seconds to wait until the node has done it. */
                wait?: number;
            };
            header?: never;
            path: {
                grant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessGrantRead"];
                };
            };
        };
    };
    end_access_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    issue_certificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshCertificateCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshCertificateRead"];
                };
            };
        };
    };
    list_all_instances: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only of this app: its slug or id. */
                app?: string;
                /** @description Those that are gone, too. */
                deleted?: boolean;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only those in this state. */
                status?: "requested" | "deploying" | "running" | "stopping" | "stopped" | "starting" | "restarting" | "configuring" | "upgrading" | "rolling_back" | "rotating" | "failed" | "deleting" | "delete_failed" | "deleted";
                /** @description Only of this version. */
                version?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_InstanceRead_"];
                };
            };
        };
    };
    get_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRead"];
                };
            };
        };
    };
    list_actions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionList"];
                };
            };
        };
    };
    run_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=10` answers at the end, if that comes in time. */
                prefer?: string;
            };
            path: {
                action: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActionRun"];
            };
        };
        responses: {
            /** @description It has ended; see `status`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    configure_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigureWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    decommission_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecommissionWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    list_members: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only those that changed then or later. */
                changed_since?: string;
                /** @description Only those of this component. */
                component?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Those that are gone as well. */
                removed?: boolean;
                /** @description Only those in this state. */
                status?: "requested" | "joining" | "ready" | "draining" | "drained" | "removing" | "replacing" | "failed" | "removed";
            };
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_MemberRead_"];
                };
            };
        };
    };
    add_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersAdd"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    drain_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersDrain"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    remove_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersRemove"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    resume_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersResume"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    put_observed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Observed"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObservedTaken"];
                };
            };
        };
    };
    list_instance_operations: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OperationRead_"];
                };
            };
        };
    };
    plan_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePlanWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanRead"];
                };
            };
        };
    };
    list_principals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Principals"];
                };
            };
        };
    };
    create_probes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProbesCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProbesTaken"];
                };
            };
        };
    };
    repair_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepairWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    request_repair: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepairRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepairTaken"];
                };
            };
        };
    };
    restart_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestartWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    list_revisions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_RevisionRead_"];
                };
            };
        };
    };
    rollback_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollbackWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    rotate_credentials: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    start_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    stop_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StopWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    upgrade_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpgradeWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    list_views: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewList"];
                };
            };
        };
    };
    get_view: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                instance: string;
                view: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewPage"];
                };
            };
        };
    };
    put_view: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
                view: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ViewPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ViewState"];
                };
            };
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeRead"];
                };
            };
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberRead"];
                };
            };
        };
    };
    replace_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberReplace"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    get_membership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                membership: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipRead"];
                };
            };
        };
    };
    remove_membership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                membership: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_membership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                membership: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipRead"];
                };
            };
        };
    };
    create_nodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeBatchCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeBatchRead"];
                };
            };
        };
    };
    list_nodes: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                name?: string;
                region?: string;
                sku?: string;
                status?: "enrolling" | "available" | "allocated" | "cleaning" | "maintenance" | "quarantined" | "retired";
                unreachable?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_NodeRead_"];
                };
            };
        };
    };
    create_node: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    get_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    update_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    create_node_allocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeAllocationRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationsPlaced"];
                };
            };
        };
    };
    list_enrolments: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_EnrolmentRead_"];
                };
            };
        };
    };
    issue_enrolment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnrolmentCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolmentIssued"];
                };
            };
        };
    };
    maintain_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeAct"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    quarantine_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeAct"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    reimage_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeAct"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    resume_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    retire_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeAct"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeRead"];
                };
            };
        };
    };
    list_oidc_providers: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OidcProviderRead_"];
                };
            };
        };
    };
    create_oidc_provider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcProviderCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcProviderRead"];
                };
            };
        };
    };
    get_oidc_provider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcProviderRead"];
                };
            };
        };
    };
    delete_oidc_provider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_oidc_provider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcProviderUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcProviderRead"];
                };
            };
        };
    };
    link_oidc_identity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcIdentityLink"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    unlink_oidc_identity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    list_operations: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                instance?: string;
                kind?: string;
                /** @description Rows on a page. */
                limit?: number;
                member?: string;
                parent?: string;
                project?: string;
                /** @description Only operations in this state. */
                status?: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OperationRead_"];
                };
            };
        };
    };
    get_operation: {
        parameters: {
            query?: {
                /** @description Answer as soon as it is beyond this. Without: when it has ended. */
                since_version?: number;
                /** @description Seconds to wait for a change. */
                wait?: number;
            };
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    abandon_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerbCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    cancel_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerbCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    list_operation_children: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only operations in this state. */
                status?: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
            };
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OperationRead_"];
                };
            };
        };
    };
    end_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationEnd"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    renew_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeaseRenew"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    report_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTaken"];
                };
            };
        };
    };
    resume_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerbCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    retry_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerbCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    create_operation_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuntimeSecretCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeSecretRead"];
                };
            };
        };
    };
    list_operation_steps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepsRead"];
                };
            };
        };
    };
    list_operation_tasks: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only tasks in this state. */
                status?: "queued" | "sent" | "running" | "succeeded" | "failed" | "cancelled" | "timed_out" | "unknown";
                /** @description Seconds to wait for the end. */
                wait?: number;
            };
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskPageRead"];
                };
            };
        };
    };
    create_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TasksCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TasksRead"];
                };
            };
        };
    };
    list_orgs: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OrgRead_"];
                };
            };
        };
    };
    create_org: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgRead"];
                };
            };
        };
    };
    get_org: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgRead"];
                };
            };
        };
    };
    delete_org: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_org: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgRead"];
                };
            };
        };
    };
    list_logins: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_UnixLoginRead_"];
                };
            };
        };
    };
    create_login: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnixLoginCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnixLoginRead"];
                };
            };
        };
    };
    list_org_memberships: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_MembershipRead_"];
                };
            };
        };
    };
    add_org_membership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipAdd"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipRead"];
                };
            };
        };
    };
    get_org_overlay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayRead"];
                };
            };
        };
    };
    put_org_overlay: {
        parameters: {
            query?: {
                /** @description Answer what the change would lead to, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverlayWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayWritten"];
                };
            };
        };
    };
    list_projects: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_ProjectRead_"];
                };
            };
        };
    };
    create_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
        };
    };
    create_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceRead"];
                };
            };
        };
    };
    get_plan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanRead"];
                };
            };
        };
    };
    force_release_allocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                allocation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForcedRelease"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationRead"];
                };
            };
        };
    };
    abandon_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BreakGlass"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRead"];
                };
            };
        };
    };
    force_decommission_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BreakGlass"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationRead"];
                };
            };
        };
    };
    get_tenant_overlay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayRead"];
                };
            };
        };
    };
    put_tenant_overlay: {
        parameters: {
            query?: {
                /** @description Answer what the change would lead to, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverlayWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayWritten"];
                };
            };
        };
    };
    list_ssh_authorities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_SshAuthorityRead_"];
                };
            };
        };
    };
    rotate_ssh_authority: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshAuthorityRotate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshAuthorityRead"];
                };
            };
        };
    };
    open_triage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                correlation: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriageOpen"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriageRead"];
                };
            };
        };
    };
    explain_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyQuestion"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionRead"];
                };
            };
        };
    };
    get_global_overlay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayRead"];
                };
            };
        };
    };
    put_global_overlay: {
        parameters: {
            query?: {
                /** @description Answer what the change would lead to, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverlayWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayWritten"];
                };
            };
        };
    };
    get_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
        };
    };
    delete_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_project: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectRead"];
                };
            };
        };
    };
    list_access_credentials: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AccessCredentialRead_"];
                };
            };
        };
    };
    create_access_credential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessCredentialCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessCredentialRead"];
                };
            };
        };
    };
    list_allocations: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only those that still hold a node. */
                live?: boolean;
                /** @description Only those in this state. */
                status?: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AllocationRead_"];
                };
            };
        };
    };
    create_allocations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllocationRequest"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocationsPlaced"];
                };
            };
        };
    };
    list_app_operators: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_AppOperatorRead_"];
                };
            };
        };
    };
    register_app_operator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppOperatorCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppOperatorRead"];
                };
            };
        };
    };
    create_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppRead"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only the one with these bytes. */
                digest?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only those so trusted. */
                trust?: "unverified" | "verified" | "failed" | "revoked";
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_ArtifactRead_"];
                };
            };
        };
    };
    create_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArtifactCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactRead"];
                };
            };
        };
    };
    list_entitlements: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only the one for this app. */
                app?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_EntitlementRead_"];
                };
            };
        };
    };
    create_entitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntitlementCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntitlementDetail"];
                };
            };
        };
    };
    list_instances: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only of this app: its slug or id. */
                app?: string;
                /** @description Those that are gone, too. */
                deleted?: boolean;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only those in this state. */
                status?: "requested" | "deploying" | "running" | "stopping" | "stopped" | "starting" | "restarting" | "configuring" | "upgrading" | "rolling_back" | "rotating" | "failed" | "deleting" | "delete_failed" | "deleted";
                /** @description Only of this version. */
                version?: string;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_InstanceRead_"];
                };
            };
        };
    };
    create_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstanceCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRead"];
                };
            };
        };
    };
    list_project_memberships: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_MembershipRead_"];
                };
            };
        };
    };
    add_project_membership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipAdd"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipRead"];
                };
            };
        };
    };
    list_node_sessions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Only operations in this state. */
                status?: "pending" | "ready" | "running" | "waiting" | "blocked" | "undoing" | "succeeded" | "failed" | "cancelled" | "abandoned";
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_OperationRead_"];
                };
            };
        };
    };
    create_node_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionIssued"];
                };
            };
        };
    };
    get_offer: {
        parameters: {
            query?: {
                /** @description What the publisher promotes there. */
                channel?: "dev" | "staging" | "prod";
                /** @description A constraint on version numbers, such as `^1.2`. */
                versions?: string;
            };
            header?: never;
            path: {
                app: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfferRead"];
                };
            };
        };
    };
    get_project_overlay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayRead"];
                };
            };
        };
    };
    put_project_overlay: {
        parameters: {
            query?: {
                /** @description Answer what the change would lead to, and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverlayWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlayWritten"];
                };
            };
        };
    };
    plan_instance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployPlanWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanRead"];
                };
            };
        };
    };
    get_project_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectivePolicyRead"];
                };
            };
        };
    };
    list_publisher_keys: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_PublisherKeyRead_"];
                };
            };
        };
    };
    create_publisher_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublisherKeyCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublisherKeyRead"];
                };
            };
        };
    };
    create_pull: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PullCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullIssued"];
                };
            };
        };
    };
    list_service_accounts: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_ServiceAccountRead_"];
                };
            };
        };
    };
    create_service_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceAccountCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountRead"];
                };
            };
        };
    };
    revoke_publisher_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                publisher_key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Revocation"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublisherKeyRead"];
                };
            };
        };
    };
    get_pull_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description The pull's secret. Required. */
                "moorage-pull"?: string;
            };
            path: {
                pull: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_regions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_RegionRead_"];
                };
            };
        };
    };
    create_region: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegionCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionRead"];
                };
            };
        };
    };
    get_region: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                region: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionRead"];
                };
            };
        };
    };
    update_region: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                region: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegionUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionRead"];
                };
            };
        };
    };
    list_roles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolesRead"];
                };
            };
        };
    };
    get_service_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountRead"];
                };
            };
        };
    };
    delete_service_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_service_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceAccountUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountRead"];
                };
            };
        };
    };
    list_service_account_keys: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_KeyRead_"];
                };
            };
        };
    };
    create_service_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyIssued"];
                };
            };
        };
    };
    revoke_service_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_SessionRead_"];
                };
            };
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_skus: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_SkuRead_"];
                };
            };
        };
    };
    create_sku: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkuCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkuRead"];
                };
            };
        };
    };
    get_sku: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sku: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkuRead"];
                };
            };
        };
    };
    update_sku: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sku: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkuUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkuRead"];
                };
            };
        };
    };
    list_sources: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description Those that this org can use. */
                org?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_SourceRead_"];
                };
            };
        };
    };
    get_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceRead"];
                };
            };
        };
    };
    delete_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceRead"];
                };
            };
        };
    };
    get_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusRead"];
                };
            };
        };
    };
    get_task: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end. */
                wait?: number;
            };
            header?: never;
            path: {
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskRead"];
                };
            };
        };
    };
    cancel_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskRead"];
                };
            };
        };
    };
    get_task_output: {
        parameters: {
            query?: {
                /** @description The first byte wanted. */
                offset?: number;
                stream?: "stdout" | "stderr" | "content";
                /** @description Seconds to wait for a byte. */
                wait?: number;
            };
            header?: never;
            path: {
                task: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    get_triage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                correlation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriageRead"];
                };
            };
        };
    };
    report_usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageReport"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageTaken"];
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_UserRead_"];
                };
            };
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRead"];
                };
            };
        };
    };
    issue_password_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordCodeIssue"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordCodeRead"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                org: string;
                project?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_WebhookRead_"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookIssued"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRead"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    update_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRead"];
                };
            };
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Rows on a page. */
                limit?: number;
                /** @description `dead` is the dead-letter list. */
                status?: "pending" | "delivered" | "dead";
            };
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageRead_DeliveryRead_"];
                };
            };
        };
    };
    get_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery: string;
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRead"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery: string;
                webhook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRead"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookIssued"];
                };
            };
        };
    };
}
