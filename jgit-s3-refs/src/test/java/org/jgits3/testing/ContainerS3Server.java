// SPDX-License-Identifier: Apache-2.0
package org.jgits3.testing;

import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** Starts versitygw in a container, on a port of 127.0.0.1. */
final class ContainerS3Server {
  private static final String ACCESS_KEY = "jgits3test";
  private static final String SECRET_KEY = "jgits3test-secret";
  private static final int PORT = 7070;

  private ContainerS3Server() {}

  /**
   * Starts the server if a Docker engine answers. An image that is present is not pulled again.
   *
   * @return the server; empty, with a line that says why, if the engine cannot run the image
   */
  static Optional<S3Server> versitygw() {
    String image = System.getProperty("s3.image", "");
    if (image.isEmpty() || !engineAnswers()) {
      return Optional.empty();
    }
    // Outlives this method on purpose: closed by S3Server.close and by a hook of the JVM.
    @SuppressWarnings("resource")
    GenericContainer<?> container =
        new GenericContainer<>(DockerImageName.parse(image))
            .withEnv("ROOT_ACCESS_KEY", ACCESS_KEY)
            .withEnv("ROOT_SECRET_KEY", SECRET_KEY)
            .withCommand("--port", ":" + PORT, "posix", "/tmp/vgw")
            .withExposedPorts(PORT)
            .withCreateContainerCmdModifier(
                command -> command.withHostConfig(loopbackOnly(command.getHostConfig())))
            .waitingFor(Wait.forHttp("/").forPort(PORT).forStatusCodeMatching(status -> true));
    try {
      container.start();
    } catch (RuntimeException e) {
      System.out.println("Docker engine found, but it does not run " + image + ": " + root(e));
      return Optional.empty();
    }
    Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "stop " + image));
    return Optional.of(
        new S3Server(
            image,
            URI.create("http://127.0.0.1:" + container.getMappedPort(PORT)),
            ACCESS_KEY,
            SECRET_KEY,
            container::stop));
  }

  private static HostConfig loopbackOnly(HostConfig config) {
    return config.withPortBindings(
        new PortBinding(Ports.Binding.bindIp("127.0.0.1"), ExposedPort.tcp(PORT)));
  }

  /**
   * Tests whether an engine listens, because Testcontainers takes long to find out that none does.
   */
  private static boolean engineAnswers() {
    String host = System.getenv().getOrDefault("DOCKER_HOST", "unix:///var/run/docker.sock");
    URI uri = URI.create(host);
    boolean local = "unix".equals(uri.getScheme());
    if (!local && uri.getPort() < 0) {
      return false;
    }
    SocketAddress address =
        local
            ? UnixDomainSocketAddress.of(uri.getPath())
            : new InetSocketAddress(String.valueOf(uri.getHost()), uri.getPort());
    try (SocketChannel channel =
        SocketChannel.open(local ? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET)) {
      return channel.connect(address);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static String root(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
  }
}
