// SPDX-License-Identifier: Apache-2.0
package org.jgits3.server.http.users;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HtpasswdTest {

  /** Rounds of bcrypt that a wrong password takes. */
  private static long rounds(Htpasswd users, String user) {
    Optional<String> hash = users.hash(user);
    long rounds = hash.map(HtpasswdTest::rounds).orElse(0L);
    for (String decoy : users.decoys(hash)) {
      byte[] secret = {1};
      assertThat(
              BCrypt.verifyer()
                  .verify(secret, decoy.getBytes(StandardCharsets.US_ASCII))
                  .validFormat)
          .isTrue();
      rounds += rounds(decoy);
    }
    return rounds;
  }

  private static long rounds(String hash) {
    return 1L << Integer.parseInt(hash.substring(4, 6));
  }

  private static Htpasswd parse(String... lines) throws UsersFile.InvalidException {
    return Htpasswd.parse(String.join("", lines).getBytes(StandardCharsets.UTF_8), "users");
  }

  @Test
  void a_wrong_password_takes_as_many_rounds_for_every_user() throws Exception {
    Htpasswd users =
        parse(
            TestUsers.line("ada", 4, "a"),
            TestUsers.line("bob", 5, "b"),
            TestUsers.line("eve", 7, "e"));
    for (String user : List.of("ada", "bob", "eve", "nobody")) {
      assertThat(rounds(users, user)).as(user).isEqualTo(1 << 7);
    }
    assertThat(rounds(parse(), "nobody")).isEqualTo(1 << 4);
  }
}
